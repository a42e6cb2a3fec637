//! Lemma 14 and Theorem 7: the second moment of random features of the Gaussian kernel.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::noisy::errata::random_degree::{factorial, probability};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-14",
    place: "Lemma 14, Theorem 7 (u)",
    quote: "Assuming the construction of",
    class: Class::Wrong,
    reason: "the lemma states the bound, and it is exceeded",
    printed: "E |Psi|^2 <= (p/(p-1))^2 exp((sqrt(p) B + 2 p sqrt(B)) / s^2): two squares are lost, so that the units \
              do not agree",
    corrected: "E |Psi|^2 <= (p/(p-1))^2 exp(2 (sqrt(p) + p) B / s^2), for the corrected features",
    method: "E |Psi|^2, summed over both degrees, without noise, |x|^2 = B, s^2 = 1, p = 2; for the printed features \
             the corrected bound is (p/(p-1))^2 exp(2 (sqrt(p) B + 2 p sqrt(B)) / s^2)",
    decide,
};

const P: f64 = 2.0;

/// sum_n1 (B^n1 / n1!)^2 / q_n1 times sum_n2 weight(n2) B^n2 / q_n2 with s^2 = 1: the weight is 2^n / n! for the
/// corrected features, and its square for the printed ones.
fn moment(b: f64, power: i32) -> f64 {
    let degrees = || 0..120;
    let pairs: f64 = degrees().map(|n| (b.powi(n) / factorial(n)).powi(2) / probability(n, P)).sum();
    let tail: f64 = degrees().map(|n| (2f64.powi(n) / factorial(n)).powi(power) * b.powi(n) / probability(n, P)).sum();
    pairs * tail
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let base = 2.0 * (P / (P - 1.0)).ln();
    let printed = |b: f64| base + P.sqrt() * b + 2.0 * P * b.sqrt();
    let corrected = |b: f64| base + 2.0 * (P.sqrt() + P) * b;
    let squares = |b: f64| base + 2.0 * (P.sqrt() * b + 2.0 * P * b.sqrt());
    let row = |what, printed, corrected, value: f64| {
        ErratumNumber::exact(what, Relation::AtMost, printed, corrected, value.ln(), 1e-9)
    };
    vec![
        row("log E |Psi|^2, corrected features, B = 1", printed(1.0), corrected(1.0), moment(1.0, 1)),
        row("log E |Psi|^2, corrected features, B = 4", printed(4.0), corrected(4.0), moment(4.0, 1)),
        row("log E |Psi|^2, printed features, B = 4", printed(4.0), squares(4.0), moment(4.0, 2)),
    ]
}
