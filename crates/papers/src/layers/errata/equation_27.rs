//! (27): the cost of estimates that stray from their mean.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-equation-27",
    place: "(27)",
    quote: "and by the bound on",
    class: Class::ProofGap,
    reason: "the facts that the proof names give twice the bound; the m of the theorem is so large that the line holds",
    printed: "m >= (3 eta t)^2 log(gamma) for every t makes the last term at most eta T",
    corrected: "at most 2 eta T (the larger m of C.2 makes the printed line true)",
    method: "The last term, with P_t from Lemma 2 summed over t, for B = 1, T = 4096, eta = B / (2 sqrt(T)): with m = \
             (3 eta t)^2 log(gamma), and with the m of the theorem",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (b, rounds) = (1.0f64, 4096u32);
    let eta = b / (2.0 * f64::from(rounds).sqrt());
    let total = eta * f64::from(rounds);
    let radius = (16.0 * b + 1.0) * total;
    let gamma = ((radius + b) / eta).powi(2).max(1f64.exp());
    let term = |m: &dyn Fn(f64) -> f64| {
        let strayed = (1..=rounds).map(|t| {
            let scale = (3.0 * eta * f64::from(t)).powi(2);
            2.0 * (-m(scale) / scale).exp()
        });
        (radius + b).powi(2) / eta * strayed.sum::<f64>()
    };
    let least = term(&|scale| scale * gamma.ln());
    let chosen = term(&|_| ((16.0 * b + 1.0) * b).powi(2) * f64::from(rounds) * gamma.ln());
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("last term, m = (3 eta t)^2 log(gamma)", at_most, total, 2.0 * total, least, 1e-9),
        ErratumNumber::exact("last term, m of the theorem", at_most, total, total, chosen, 1e-9),
    ]
}
