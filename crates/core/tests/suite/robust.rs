//! Gradient descent on the circle against the exact expectation of its errors.

use std::sync::Arc;

use noregret_core::learner::api::{Block, Learner};
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::stream::STREAMS;
use noregret_core::stream::api::Source;
use noregret_core::theory::robust::exact::ExactLeastSquares;
use noregret_core::window::WINDOWS;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::bernoulli::BernoulliSeries;
use noregret_numeric::linalg::matrix::Rows;

use crate::laws::cases;

const SEEDS: usize = 200;

fn circle() -> Arc<dyn Source> {
    let entry = STREAMS.get("circle").unwrap();
    (entry.build)(&check(entry.params, &"decay = 3".parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()).unwrap()
}

/// The four squared errors of a window after `rounds` rounds: last and averaged iterate, in L2 and in the space.
fn errors(source: &dyn Source, window: &str, eta: f64, rounds: usize, seed: usize) -> [f64; 4] {
    let toml = format!("window = '{window}'\nscale = 1e4\neta = {eta:?}\nkernel = 'sobolev-periodic'");
    let mut learner: Box<dyn Learner> = cases::build("robust-ogd", &toml, 1);
    let draws = Draws::named(&["exact expectation", &seed.to_string()]);
    let (mut inputs, mut targets) = (vec![0.0; rounds], vec![0.0; rounds]);
    source.fill(1, &draws, &mut inputs, &mut targets);
    let block = Block { first_round: 1, inputs: Rows::new(1, &inputs), targets: &targets };
    learner.play(block, &draws, &mut vec![0.0; rounds]).unwrap();
    let measures = source.measures(&*learner, &draws);
    ["squared_l2_error", "squared_rkhs_error", "squared_l2_error_averaged", "squared_rkhs_error_averaged"]
        .map(|name| measures.iter().find(|(found, _)| *found == name).unwrap().1)
}

/// Over 200 seeds, least squares agrees with its exact expectation within 4 standard errors at every T, and so does
/// every window with a large scale: 4 errors x 4 horizons x 7 windows. The windows share their rounds, so this amounts
/// to about 16 comparisons with a false-alarm rate of 6e-5 each, 0.1 % in all. The seeds are fixed.
#[test]
fn windows_with_a_large_scale_have_the_exact_expectation_of_least_squares() {
    let source = circle();
    for rounds in [32, 64, 128, 256] {
        let step = (rounds as f64).powf(-5.0 / 7.0);
        let mut exact = ExactLeastSquares::new(&BernoulliSeries::new(0.0, &[(3, 0.5)]).unwrap(), 1, 1.0 / 12.0, 400);
        (0..rounds).for_each(|_| exact.step(step));
        let expected = [exact.l2(), exact.rkhs().unwrap(), exact.l2_averaged(), exact.rkhs_averaged().unwrap()];
        for entry in WINDOWS.iter() {
            let slope = (entry.build)(&Default::default()).unwrap().growth().slope;
            let found: Vec<[f64; 4]> =
                (0..SEEDS).map(|seed| errors(&*source, entry.name, step / slope, rounds, seed)).collect();
            for (i, expected) in expected.iter().enumerate() {
                let count = SEEDS as f64;
                let mean = found.iter().map(|errors| errors[i]).sum::<f64>() / count;
                let variance = found.iter().map(|errors| (errors[i] - mean).powi(2)).sum::<f64>() / (count - 1.0);
                let score = (mean - expected) / (variance / count).sqrt();
                assert!(score.abs() < 4.0, "{}, T = {rounds}, error {i}: {mean} {expected}, score {score}", entry.name);
            }
        }
    }
}
