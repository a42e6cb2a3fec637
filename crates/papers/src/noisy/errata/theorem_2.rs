//! Theorem 2: the bound on the copies.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-2",
    place: "Theorem 2 (B_x)",
    quote: "Assume further that",
    class: Class::Notation,
    reason: "Lemma 3, on which the theorem rests, has the square",
    printed: "E |x1|^2 <= B_x and E |x1|^4 <= B_x^4",
    corrected: "E |x1|^2 <= B_x^2 and E |x1|^4 <= B_x^4",
    method: "By how much the least B_x of Lemma 3 grows if the copies are scaled from |x1| = 2 to |x1| = 20 (no \
             noise), by bisection; the printed conditions ask for |x1|^2, hence a factor of 100",
    decide,
};

/// The least B with x^2 <= B^2 and x^4 <= B^4.
fn least(x: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..100 {
        let middle: f64 = 0.5 * (low + high);
        if x.powi(2) <= middle.powi(2) && x.powi(4) <= middle.powi(4) { high = middle } else { low = middle }
    }
    high
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let printed = f64::max(20f64.powi(2), 20.0) / f64::max(2f64.powi(2), 2.0);
    vec![ErratumNumber::exact(
        "growth of the least B_x",
        Relation::Equal,
        printed,
        20.0 / 2.0,
        least(20.0) / least(2.0),
        1e-9,
    )]
}
