//! The text after (9) and Figure 1: the floor of Pros-N-KONS.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::pkawv::errata::exponents::{BoundedAlgorithm, exponent};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-pros-n-kons",
    place: "Text after (9), Figure 1",
    quote: "stops improving even when the size of the dictionary increases",
    class: Class::Wrong,
    reason: "the text and the figure give as a rate what is the exponent of a cost",
    printed: "the exponent of Pros-N-KONS cannot be below 4 gamma / (1 + gamma)^2",
    corrected: "its least value is gamma (3 + gamma) / (1 + gamma)^2, at m = n^(2 gamma / (1 + gamma)^2); 4 gamma / (1 \
                + gamma)^2 is the exponent of the cost m^2 there",
    method: "The exponent of the bound (9), minimised over lambda and over m = n^a by golden section, for the three \
             panels of the figure",
    decide,
};

/// The least exponent over a in [0, 1]: as a function of a, too, the bound is a maximum of linear functions.
fn floor(gamma: f64) -> f64 {
    let at = |a: f64| exponent(BoundedAlgorithm::Pros, gamma, a);
    let shrink = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let (left, right) = (high - shrink * (high - low), low + shrink * (high - low));
        if at(left) < at(right) { high = right } else { low = left }
    }
    at(0.5 * (low + high))
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    [0.2, 2f64.sqrt() - 1.0, 0.6]
        .iter()
        .map(|&gamma: &f64| {
            let square = (1.0 + gamma).powi(2);
            let what = format!("least exponent, gamma = {gamma:.4}");
            let (printed, corrected) = (4.0 * gamma / square, gamma * (3.0 + gamma) / square);
            ErratumNumber::exact(&what, Relation::Equal, printed, corrected, floor(gamma), 1e-6)
        })
        .collect()
}
