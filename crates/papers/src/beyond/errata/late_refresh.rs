//! Blocks of rounds that put the regulariser back at their end instead of in its round.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_core::feature::identity::IdentityMap;
use noregret_core::learner::api::{Block, Learner};
use noregret_core::learner::ridge::discount::Discount;
use noregret_core::learner::ridge::fixed_features::FixedFeatures;
use noregret_core::learner::ridge::sequential::Forecast;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-late-refresh",
    place: "discounted ridge regression in blocks",
    quote: "",
    class: Class::Pitfall,
    reason: "a block is factorised once, at its end, so that it seems to be the place for all that changes the matrix",
    printed: "the refresh of every W-th round may wait for the end of the block that the round is in",
    corrected: "a block ends in the round of the refresh, whatever lengths the caller asks for",
    method: "Discounted ridge forecasts, gamma = 0.9, W = 9, lambda = 1, over 180 random rounds of two features: their \
             largest distance from the recursion round by round, when the refresh waits for the ends of blocks of 4, and \
             when the learner of this library plays blocks of 4",
    decide,
};

const ROUNDS: usize = 180;
const BLOCK: usize = 4;
const DISCOUNT: Discount = Discount { gamma: 0.9, refresh: 9 };

/// The forecasts of the recursion that puts the regulariser back after the rounds, counted from 1, that `due` names.
fn forecasts(inputs: &Matrix, targets: &[f64], due: impl Fn(usize) -> bool) -> Vec<f64> {
    let (gamma, mut a, mut b) = (DISCOUNT.gamma, [1.0, 0.0, 1.0], [0.0, 0.0]);
    let rounds = inputs.view().iter().zip(targets).zip(1..);
    let forecast = |((x, y), t): ((&[f64], &f64), usize)| {
        let determinant = a[0] * a[2] - a[1] * a[1];
        let w = [(a[2] * b[0] - a[1] * b[1]) / determinant, (a[0] * b[1] - a[1] * b[0]) / determinant];
        a = [gamma * a[0] + x[0] * x[0], gamma * a[1] + x[0] * x[1], gamma * a[2] + x[1] * x[1]];
        b = [gamma * b[0] + y * x[0], gamma * b[1] + y * x[1]];
        if due(t) {
            let back = 1.0 - gamma.powi(DISCOUNT.refresh as i32);
            (a[0], a[2]) = (a[0] + back, a[2] + back);
        }
        w[0] * x[0] + w[1] * x[1]
    };
    rounds.map(forecast).collect()
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let draw = &mut draws.at(Role::Example, 0);
    let mut number = |_| -> f64 { Draw::between(draw, -1.0, 1.0) };
    let targets: Vec<f64> = (0..ROUNDS).map(&mut number).collect();
    let mut inputs = Matrix::zeros(ROUNDS, 2);
    inputs.data_mut().fill_with(|| number(0));
    let period = DISCOUNT.refresh as usize;
    let reference = forecasts(&inputs, &targets, |t| t.is_multiple_of(period));
    let passed = |t: usize| (t - BLOCK + 1..=t).any(|t| t.is_multiple_of(period));
    let late = forecasts(&inputs, &targets, |t| t.is_multiple_of(BLOCK) && passed(t));
    let mut learner = FixedFeatures::discounted(Forecast::Ridge, Box::new(IdentityMap(2)), 1.0, DISCOUNT);
    let mut own = vec![f64::NAN; ROUNDS];
    let whole = Block { first_round: 1, inputs: inputs.view(), targets: &targets };
    for (i, predictions) in own.chunks_mut(BLOCK).enumerate() {
        let part = whole.part(i * BLOCK, i * BLOCK + predictions.len());
        if learner.play(part, draws, predictions).is_err() {
            break;
        }
    }
    // A round that was not played is NaN, which is no distance.
    let distance = |found: &[f64]| {
        let pairs = found.iter().zip(&reference).map(|(found, expected)| (found - expected).abs());
        pairs.fold(0.0, |most: f64, one| if most.is_nan() || one <= most { most } else { one })
    };
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("largest distance, late refresh", at_most, 1e-9, None, distance(&late), 1e-9),
        ErratumNumber::exact("largest distance, blocks of the learner", at_most, 1e-9, 1e-9, distance(&own), 1e-9),
    ]
}
