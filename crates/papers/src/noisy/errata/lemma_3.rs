//! Algorithm 2 and Lemma 3: the bias of the gradient under noise of known covariance.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-3",
    place: "Algorithm 2, Lemma 3",
    quote: "is the covariance matrix of",
    class: Class::Wrong,
    reason: "the algorithm uses the formula, and its limit is biased",
    printed: "g = 2 (<w, x1> - y1) x1 - Sigma w is an unbiased gradient (x1, y1: the noisy copies)",
    corrected: "g = 2 (<w, x1> - y1) x1 - 2 Sigma w",
    method: "The mean of the printed g minus the gradient, for Gaussian noise of full covariance in three dimensions",
    decide,
};

/// Lower Cholesky factor of the noise covariance Sigma.
const FACTOR: [[f64; 3]; 3] = [[0.8, 0.0, 0.0], [0.3, 0.6, 0.0], [-0.2, 0.1, 0.5]];
const W: [f64; 3] = [1.0, -1.2, 0.4];
const X: [f64; 3] = [0.5, 0.3, -0.7];
const Y: f64 = 0.4;
const TARGET_NOISE: f64 = 0.5;
const SAMPLES: u64 = 500_000;

/// E [2 (<w, x1> - y1) x1] = 2 (<w, x> - y) x + 2 Sigma w, so the printed g is off by Sigma w.
fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Copies, 1);
    let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // Sigma w = L (L' w).
    let half: [f64; 3] = std::array::from_fn(|j| (0..3).map(|i| FACTOR[i][j] * W[i]).sum());
    let sigma_w: [f64; 3] = std::array::from_fn(|i| dot(&FACTOR[i], &half));
    let residual = dot(&W, &X) - Y;
    let mut bias = [Mean::default(); 3];
    for _ in 0..SAMPLES {
        let normal: [f64; 3] = std::array::from_fn(|_| draw.normal());
        let copy: [f64; 3] = std::array::from_fn(|i| X[i] + dot(&FACTOR[i], &normal));
        let target = Y + TARGET_NOISE * draw.normal();
        for (i, bias) in bias.iter_mut().enumerate() {
            let printed = 2.0 * (dot(&W, &copy) - target) * copy[i] - sigma_w[i];
            bias.add(printed - 2.0 * residual * X[i]);
        }
    }
    (0..3)
        .map(|i| {
            let what = format!("bias of the printed g, coordinate {}", i + 1);
            ErratumNumber::sampled(&what, Relation::Equal, 0.0, sigma_w[i], &bias[i])
        })
        .collect()
}
