//! Example 4: the bound for the smoothed hinge loss.

use std::f64::consts::PI;

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::noisy::errata::random_degree::factorial;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-example-4",
    place: "Example 4 (smoothed hinge loss)",
    quote: "Recall that the standard hinge loss is defined as",
    class: Class::Wrong,
    reason: "the statement gives a bound that is exceeded",
    printed: "l'_+(z) <= 2 exp(c^2 z^2 - 1) / (c z sqrt(pi)); in the proof 1/2 + (exp(c^2 z^2) - 1) / (c z sqrt(pi)), \
              with the series in a - 1 used as if it were one in a",
    corrected: "the proof's bound holds for an estimate around a = 1; around 0 the coefficients are gamma_0 = -(1 + \
                erf c) / 2, gamma_n = c^n exp(-c^2) H_(n-1)(c) / (sqrt(pi) n!)",
    method: "l'_+ of (Erf(c (a - 1)) - 1) / 2, summed from power series around 0 (by multiplying out exp(-c^2) exp(2 \
             c^2 a) exp(-c^2 a^2)) and around 1, at c = 1; the corrected value comes from the Hermite recurrence",
    decide,
};

const TERMS: i32 = 60;

/// Coefficients of a^n, n = 0.., of (erf(a - 1) - 1) / 2: its derivative is exp(-(a - 1)^2) / sqrt(pi).
fn series() -> Vec<f64> {
    let mut gamma = vec![-0.5 * (1.0 + libm::erf(1.0))];
    for n in 1..TERMS {
        let product: f64 = (0..=(n - 1) / 2)
            .map(|k| (-1f64).powi(k) / factorial(k) * 2f64.powi(n - 1 - 2 * k) / factorial(n - 1 - 2 * k))
            .sum();
        gamma.push((-1f64).exp() * product / PI.sqrt() / f64::from(n));
    }
    gamma
}

/// The same by the Hermite polynomials (physicists' convention) at 1: H_(n+1) = 2 H_n - 2 n H_(n-1).
fn hermite() -> Vec<f64> {
    let mut gamma = vec![-0.5 * (1.0 + libm::erf(1.0))];
    let (mut before, mut polynomial) = (0.0, 1.0);
    for n in 1..TERMS {
        gamma.push((-1f64).exp() * polynomial / PI.sqrt() / factorial(n));
        (before, polynomial) = (polynomial, 2.0 * polynomial - 2.0 * f64::from(n - 1) * before);
    }
    gamma
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    // At z = 1 the sum of absolute values, at z = 0 the first one.
    let plus = |gamma: &[f64]| gamma.iter().map(|gamma| gamma.abs()).sum::<f64>();
    let around_one: f64 =
        0.5 + (0..TERMS).map(|n| 1.0 / (factorial(n) * f64::from(2 * n + 1))).sum::<f64>() / PI.sqrt();
    let (stated, proof) = (2.0 / PI.sqrt(), 0.5 + (1f64.exp() - 1.0) / PI.sqrt());
    let (summed, known) = (series(), hermite());
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("l'_+(1) around 0, bound as stated", at_most, stated, plus(&known), plus(&summed), 1e-12),
        ErratumNumber::exact(
            "l'_+(1) around 0, bound of the proof",
            at_most,
            proof,
            plus(&known),
            plus(&summed),
            1e-12,
        ),
        ErratumNumber::exact("l'_+(0) around 0, bound of the proof", at_most, 0.5, -known[0], -summed[0], 1e-12),
        ErratumNumber::exact("l'_+(1) around 1, bound of the proof", at_most, proof, proof, around_one, 1e-12),
    ]
}
