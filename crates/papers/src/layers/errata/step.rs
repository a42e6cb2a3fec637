//! Theorem 1 and C.2: the step.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::search::minimum;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-step",
    place: "Theorem 1 against C.2 (step)",
    quote: "as in the statement of the theorem. Namely:",
    class: Class::Notation,
    reason: "two steps are printed for the same one, both of which give the order; the proof says that T is large \
             enough",
    printed: "eta = B / sqrt(T), for every T",
    corrected: "eta = B / (2 sqrt(T)), as in C.2, or twice that; Lemma 2 needs eta < 1/8, so T > 16 B^2, or T > 64 B^2",
    method: "The step that minimises the right side of C.2, B^2 / eta + 4 eta T, by golden section in log eta, B = 2, \
             T = 4096; and the least T for which the step of Theorem 1 is below 1/8, by trial",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (b, rounds) = (2.0f64, 4096.0f64);
    let bound = |log: f64| b * b / log.exp() + 4.0 * log.exp() * rounds;
    let best = minimum(-20.0, 5.0, bound).exp() * rounds.sqrt() / b;
    let least = (1..10_000).map(f64::from).find(|t| b / t.sqrt() < 0.125).unwrap_or(f64::NAN);
    vec![
        // Golden section finds a flat minimum only to the square root of the rounding error.
        ErratumNumber::exact("best step of C.2, over B / sqrt(T)", Relation::Equal, 1.0, 0.5, best, 1e-6),
        ErratumNumber::exact("least T with eta < 1/8", Relation::AtMost, 1.0, 64.0 * b * b + 1.0, least, 1e-12),
    ]
}
