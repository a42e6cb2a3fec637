//! Example 3: the symbol in the error function.

use std::f64::consts::PI;

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-example-3-symbol",
    place: "Example 3 and its proof (Erf(sa))",
    quote: "To approximate the absolute loss, we use the antiderivative of",
    class: Class::Notation,
    reason: "the same sentence says for some c > 0, and Example 4 has c; elsewhere s is the width of the kernel",
    printed: "l'(a) = Erf(s a), l(a) = a Erf(s a) + exp(-c^2 a^2) / (c sqrt(pi))",
    corrected: "c in place of s",
    method: "The slope at 0.7 of E |a + Z|, Z normal of variance 1 / (2 c^2), which is the corrected l, by a central \
             difference of its integral, c = 1; s = sqrt(2)",
    decide,
};

/// E |a + Z| for Z normal of variance 1/2: the integral of |a + z| exp(-z^2) / sqrt(pi), by Simpson's rule on both
/// sides of the kink.
fn smoothed(a: f64) -> f64 {
    const STEPS: u32 = 2000;
    let piece = |low: f64, high: f64| {
        let step = (high - low) / f64::from(STEPS);
        let value = |k: u32| {
            let z = low + step * f64::from(k);
            (a + z).abs() * (-z * z).exp() / PI.sqrt()
        };
        let weight = |k: u32| if k == 0 || k == STEPS { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
        (0..=STEPS).map(|k| weight(k) * value(k)).sum::<f64>() * step / 3.0
    };
    piece(-8.0, -a) + piece(-a, 8.0)
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let a = 0.7f64;
    let slope = (smoothed(a + 1e-4) - smoothed(a - 1e-4)) / 2e-4;
    let what = "slope of the smoothed absolute loss at 0.7";
    vec![ErratumNumber::exact(what, Relation::Equal, libm::erf(2f64.sqrt() * a), libm::erf(a), slope, 1e-6)]
}
