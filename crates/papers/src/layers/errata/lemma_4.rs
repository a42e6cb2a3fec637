//! Lemma 4: the size of the coefficients.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-lemma-4",
    place: "Lemma 4",
    quote: "We prove the statement by induction",
    class: Class::Sharpened,
    reason: "the printed bound is valid, with one round too many",
    printed: "|alpha^(t)|_1 <= (16 B + 1) eta t",
    corrected: "|alpha^(t)|_1 <= (16 B + 1) eta (t - 1)",
    method: "The factor that the coefficients reach before round 201 when every estimate is just below 16 B and \
             opposite in sign to y; B = 1, eta = 0.05",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (b, eta, rounds) = (1.0, 0.05, 200);
    let mut length = 0.0;
    for _ in 1..=rounds {
        let (estimate, y) = (16.0 * b * (1.0 - 1e-9), -1.0);
        // Below 16 B a step is made: the other coefficients stay, and one of size eta |E - y| is added.
        length += f64::abs(eta * (estimate - y));
    }
    let factor = length / ((16.0 * b + 1.0) * eta);
    let what = "largest |alpha^(201)|_1 / ((16 B + 1) eta)";
    vec![ErratumNumber::exact(what, Relation::AtMost, 201.0, 200.0, factor, 1e-9)]
}
