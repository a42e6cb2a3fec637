//! Data that are chosen after the frequencies of Fourier features were drawn.

use std::f64::consts::TAU;

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use noregret_core::feature::identity::IdentityMap;
use noregret_core::learner::api::{Block, Learner};
use noregret_core::learner::ridge::fixed_features::FixedFeatures;
use noregret_core::learner::ridge::sequential::Forecast;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-seen-frequencies",
    place: "ridge regression over Fourier features",
    quote: "",
    class: Class::Pitfall,
    reason: "the bounds of regression over fixed features hold for every sequence, and one expects the same of random ones",
    printed: "the bound in the kernel's own norm holds for every sequence of data",
    corrected: "it holds in the mean over the frequencies, for data that were fixed before these were drawn",
    method: "The AWV forecaster with lambda = 1 over one frequency w (Gaussian kernel of bandwidth 1): 1,000 rounds that \
             alternate between the points 0 with target 1 and x with target -1. The loss over the bound for x = 6, mean \
             of 400 frequencies; and for the first multiple of 2 pi / |w| above 6, whose features are those of 0",
    decide,
};

const ROUNDS: usize = 1000;
const SAMPLES: usize = 400;
const POINT: f64 = 6.0;

/// The AWV forecaster's loss over the bound, where the second point is `x`.
fn ratio(frequency: f64, x: f64, draws: &Draws) -> f64 {
    let targets: Vec<f64> = (0..ROUNDS).map(|t| if t % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let mut inputs = Matrix::zeros(ROUNDS, 2);
    for (t, features) in inputs.data_mut().chunks_exact_mut(2).enumerate() {
        let (sine, cosine) = (frequency * x * (t % 2) as f64).sin_cos();
        features.copy_from_slice(&[cosine, sine]);
    }
    let mut learner = FixedFeatures::new(Forecast::Awv, Box::new(IdentityMap(2)), 1.0);
    let mut predictions = vec![0.0; ROUNDS];
    let block = Block { first_round: 1, inputs: inputs.view(), targets: &targets };
    if learner.play(block, draws, &mut predictions).is_err() {
        return f64::NAN;
    }
    let loss: f64 = predictions.iter().zip(&targets).map(|(p, y)| (p - y) * (p - y)).sum();
    loss / bound(x)
}

/// mu y' (K + mu I)^-1 y + log det(I + K) with mu = 1 + n / D, D = 1: the targets are an eigenvector of K, each point is in
/// half of the rounds, and K has no further eigenvalue but one.
fn bound(x: f64) -> f64 {
    let (half, n, k) = (ROUNDS as f64 / 2.0, ROUNDS as f64, (-x * x / 2.0).exp());
    let (mu, along, across) = (1.0 + n, half * (1.0 - k), half * (1.0 + k));
    mu * n / (along + mu) + along.ln_1p() + across.ln_1p()
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let draw = &mut draws.at(Role::Example, 0);
    let (mut before, mut after) = (Mean::default(), Mean::default());
    for _ in 0..SAMPLES {
        let frequency = Draw::normal(draw);
        before.add(ratio(frequency, POINT, draws));
        let period = TAU / frequency.abs();
        after.add(ratio(frequency, period * (POINT / period).ceil(), draws));
    }
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::sampled("loss over bound, data chosen after the draw", at_most, 1.0, None, &after),
        ErratumNumber::sampled("loss over bound, data fixed before the draw", at_most, 1.0, 1.0, &before),
    ]
}
