//! (8), Lemma 10: the surrogate of the mixture kernel.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::quadrature::{between, normal_mean};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-equation-8",
    place: "(8), Lemma 10",
    quote: "The surrogate kernel that we will pick is defined as follows",
    class: Class::Wrong,
    reason: "the kernel is defined by this formula and is not unbiased",
    printed: "k^(x, x') = d integral over (0, c/d) of (1 - 2 sigma u)^(-d/2) exp(-u |x - x'|^2 / (1 - 2 sigma u) - u \
              d)",
    corrected: "sigma^2 in place of sigma, twice; noise N(0, sigma^2 I); then Lemmas 9 and 11 and Theorem 5 have \
                exp(2 sigma^2 c)",
    method: "E k^(a, x + n) for both forms, by quadrature in u and in the noise, d = 2, c = 1.5, sigma = 0.5, a - x = \
             (0.6, 0.5); compared with k(a, x)",
    decide,
};

const C: f64 = 1.5;
const SIGMA: f64 = 0.5;
const DIFFERENCE: [f64; 2] = [0.6, 0.5];

/// E k^ with `level` = sigma or sigma^2 subtracted. The noise coordinates are independent, so that the mean of each
/// Gaussian in the mixture is a product of two one-dimensional means.
fn mean(level: f64) -> f64 {
    between(0.0, C / 2.0, |u| {
        let shrunk = 1.0 - 2.0 * level * u;
        let coordinate = |delta: f64| normal_mean(SIGMA * SIGMA, |n| (-u * (delta - n).powi(2) / shrunk).exp());
        2.0 * (-2.0 * u).exp() / shrunk * coordinate(DIFFERENCE[0]) * coordinate(DIFFERENCE[1])
    })
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    // k(a, x) = g (1 - exp(-c / g)), g = 1 / (1 + |a - x|^2 / d): (7).
    let g = 1.0 / (1.0 + DIFFERENCE.iter().map(|d| d * d).sum::<f64>() / 2.0);
    let kernel = g * (1.0 - (-C / g).exp());
    let what = "k(a, x), which E k^(a, x + n) must equal";
    vec![ErratumNumber::exact(what, Relation::Equal, mean(SIGMA), mean(SIGMA * SIGMA), kernel, 1e-9)]
}
