//! Theorem 5: the step.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::search::minimum;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-5",
    place: "Theorem 5 (step)",
    quote: "with the kernel (7) where",
    class: Class::Text,
    reason: "in our text T stands beside the root, in the step and in the bound; a root that ends too early is easily \
             lost in extraction",
    printed: "eta = W / (2 exp(sigma c) sqrt(W^2 exp(2 sigma c) + B_y^2)) T, which grows like T",
    corrected: "T under the root: eta shrinks like T^(-1/2)",
    method: "The exponent in T of the step that minimises W^2 / (2 eta) + eta T V / 2, the bound of the proof, for W = \
             V = 1, between T = 100 and 10000; each minimum by golden section in log eta",
    decide,
};

/// log of the best step for that many rounds.
fn best(rounds: f64) -> f64 {
    let bound = |log: f64| 0.5 / log.exp() + 0.5 * log.exp() * rounds;
    minimum(-20.0, 10.0, bound)
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let exponent = (best(10_000.0) - best(100.0)) / 100f64.ln();
    // Golden section finds a flat minimum only to the square root of the rounding error.
    vec![ErratumNumber::exact("exponent of the best step in T", Relation::Equal, 1.0, -0.5, exponent, 1e-6)]
}
