//! Lemma 7: the constant that bounds the parts of a predictor by the predictor.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-7",
    place: "Lemmas 7, 8, 11, Theorem 3 (constant of W)",
    quote: "it is not the tightest upper bound possible",
    class: Class::Sharpened,
    reason: "the printed constant is valid, as the paper says itself",
    printed: "|w+|^2 + |w-|^2 <= 5 |w|^2 / sin(beta)^2",
    corrected: "|w+|^2 + |w-|^2 <= |w|^2 / (1 - cos(beta)), beta <= pi/2; beta is the angle between w+ and -w- (the \
                lemma omits the minus sign)",
    method: "The smallest valid constant: the largest (a^2 + b^2) / (a^2 + b^2 - 2 a b cos(beta)) over lengths a, b, \
             by golden section",
    decide,
};

/// The largest value on [low, high] of f, which has one maximum there.
fn largest(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let shrink = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..200 {
        let (left, right) = (high - shrink * (high - low), low + shrink * (high - low));
        if f(left) < f(right) { low = left } else { high = right }
    }
    f(0.5 * (low + high))
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    [0.1f64, 0.5, 1.2]
        .iter()
        .map(|&beta| {
            let smallest = largest(0.0, 10.0, |b| (1.0 + b * b) / (1.0 + b * b - 2.0 * b * beta.cos()));
            let (printed, corrected) = (5.0 / beta.sin().powi(2), 1.0 / (1.0 - beta.cos()));
            let what = format!("smallest valid constant at beta = {beta}");
            ErratumNumber::exact(&what, Relation::AtMost, printed, corrected, smallest, 1e-9)
        })
        .collect()
}
