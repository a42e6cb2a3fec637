//! Example 3: the bound for the smoothed absolute loss.

use std::f64::consts::PI;

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::noisy::errata::random_degree::factorial;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-example-3",
    place: "Example 3 (smoothed absolute loss)",
    quote: "Recall that the standard absolute loss is defined as",
    class: Class::Wrong,
    reason: "the statement and the proof give two bounds, and both are exceeded",
    printed: "l'_+(z) <= 1/2 + (exp(c^2 z^2) - 1) / (c z sqrt(pi)); in the proof 2 exp(c^2 z^2 - 1) / (c z sqrt(pi))",
    corrected: "l'_+(z) <= 2 (exp(c^2 z^2) - 1) / (c z sqrt(pi)); the bounds of Examples 3 and 4 are swapped",
    method: "l'_+ of Erf(c a), summed from its power series, at c = 1, z = 1",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let z = 1.0f64;
    let root = PI.sqrt();
    let series: f64 = (0..60).map(|n| z.powi(2 * n + 1) / (factorial(n) * f64::from(2 * n + 1))).sum();
    let plus = 2.0 / root * series;
    let corrected = 2.0 * ((z * z).exp() - 1.0) / (z * root);
    let statement = 0.5 + ((z * z).exp() - 1.0) / (z * root);
    let proof = 2.0 * (z * z - 1.0).exp() / (z * root);
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("l'_+(1), bound as stated", at_most, statement, corrected, plus, 1e-12),
        ErratumNumber::exact("l'_+(1), bound of the proof", at_most, proof, corrected, plus, 1e-12),
    ]
}
