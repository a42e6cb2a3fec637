//! The text after (9): the values of gamma for which PKAWV is better than Sketched-KONS.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::pkawv::errata::exponents::{BoundedAlgorithm, exponent};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-sketched-kons",
    place: "Text after (9)",
    quote: "the latter cannot obtain the optimal rate",
    class: Class::Wrong,
    reason: "the text draws it from the bounds (9), which say otherwise",
    printed: "PKAWV is better than Sketched-KONS as soon as gamma <= 1/2",
    corrected: "as soon as gamma <= sqrt(2) - 1, by the bounds (9)",
    method: "The exponents of both bounds, minimised over lambda: their difference at m = n^0.5, gamma = 0.45; and, by \
             bisection, the gamma at which they are equal",
    decide,
};

/// By how much the exponent of PKAWV is larger at m = n^0.5.
fn difference(gamma: f64) -> f64 {
    exponent(BoundedAlgorithm::Pkawv, gamma, 0.5) - exponent(BoundedAlgorithm::Sketched, gamma, 0.5)
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (mut low, mut high) = (0.38, 0.6);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if difference(middle) < 0.0 { low = middle } else { high = middle }
    }
    let gamma = 0.45f64;
    // Before their knees the exponents are 1 - a (1 - gamma) / (2 gamma) and 1 - a / (1 + gamma).
    let known = 0.5 / (1.0 + gamma) - 0.5 * (1.0 - gamma) / (2.0 * gamma);
    vec![
        ErratumNumber::exact(
            "PKAWV minus Sketched-KONS at gamma = 0.45",
            Relation::AtMost,
            0.0,
            known,
            difference(gamma),
            1e-9,
        ),
        ErratumNumber::exact("gamma of equal exponents", Relation::Equal, 0.5, 2f64.sqrt() - 1.0, high, 1e-9),
    ]
}
