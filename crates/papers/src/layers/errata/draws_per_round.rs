//! Theorem 1, C.2: the number of draws per round.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-draws-per-round",
    place: "Theorem 1, C.2 (m)",
    quote: "hence the third term in Eq. 24 is bounded as follows",
    class: Class::Sharpened,
    reason: "the printed number is sufficient, but far more than the proof uses",
    printed: "m = ((16 B + 1) B)^2 T log(gamma)",
    corrected: "m = max(((16 B + 1) eta T)^2, C (eta T)^2 log(2 gamma)), C = (16 B + 1)^2 / (32 B^2)",
    method: "The least m, by bisection, for which the terms (26) and (27), summed over the rounds, are at most eta T, \
             for B = 1, T = 2^20, eta = B / sqrt(T)",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (b, rounds) = (1.0f64, 1u32 << 20);
    let length = f64::from(rounds);
    let eta = b / length.sqrt();
    let reach = (16.0 * b + 1.0) * eta * length;
    // 9.03125 at B = 1: the exponent of Lemma 2 with the constant of the corrected Lemma 3.
    let constant = (16.0 * b + 1.0).powi(2) / (32.0 * b * b);
    let gamma = ((reach + b) / eta).powi(2);
    let enough = |m: f64| {
        let variance = eta * length * reach * reach / m;
        let strayed: f64 = (1..=rounds).map(|t| 2.0 * (-m / (constant * (eta * f64::from(t)).powi(2))).exp()).sum();
        variance <= eta * length && (reach + b).powi(2) / eta * strayed <= eta * length
    };
    let (mut low, mut high) = (length, 1e4 * length);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if enough(middle) { high = middle } else { low = middle }
    }
    let printed = ((16.0 * b + 1.0) * b).powi(2) * length * gamma.ln();
    let corrected = (reach * reach).max(constant * (eta * length).powi(2) * (2.0 * gamma).ln());
    let what = "least sufficient m, over T";
    let (printed, corrected) = (printed / length, corrected / length);
    vec![ErratumNumber::exact(what, Relation::AtMost, printed, corrected, high / length, 1e-6)]
}
