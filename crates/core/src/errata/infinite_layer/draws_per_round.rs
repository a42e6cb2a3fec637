//! Theorem 1, C.2: the number of draws per round.

use crate::draw::Draws;
use crate::errata::api::{Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-draws-per-round",
    paper: Paper::InfiniteLayer,
    place: "Theorem 1, C.2 (m)",
    printed: "m = ((16 B + 1) B)^2 T log(gamma): valid, but far more than needed",
    corrected: "m = max(((16 B + 1) eta T)^2, C (eta T)^2 log(2 gamma)), C = (16 B + 1)^2 / (32 B^2)",
    method: "The least m, by bisection, that satisfies both conditions that the proof uses, (26) and (27), for B = 1, \
             T = 1024, eta = B / sqrt(T)",
    module: module_path!(),
    decide,
};

fn decide(_: &Draws) -> Vec<Quantity> {
    let (b, rounds) = (1.0f64, 1024.0f64);
    let eta = b / rounds.sqrt();
    let reach = (16.0 * b + 1.0) * eta * rounds;
    let constant = (16.0 * b + 1.0).powi(2) / (32.0 * b * b);
    let gamma = ((reach + b) / eta).powi(2);
    let enough = |m: f64| {
        let variance = eta * rounds * reach * reach / m;
        // Lemma 2 with the constant of the corrected Lemma 3.
        let strayed: f64 =
            (1..=rounds as u32).map(|t| 2.0 * (-m / (constant * (eta * f64::from(t)).powi(2))).exp()).sum();
        variance <= eta * rounds * (1.0 + 1e-12) && (reach + b).powi(2) / eta * strayed <= eta * rounds
    };
    let (mut low, mut high) = (1.0, 1e9);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if enough(middle) { high = middle } else { low = middle }
    }
    let printed = ((16.0 * b + 1.0) * b).powi(2) * rounds * gamma.ln();
    let corrected = (reach * reach).max(constant * (eta * rounds).powi(2) * (2.0 * gamma).ln());
    vec![Quantity::exact(
        "least sufficient m, over T",
        Relation::Equal,
        printed / rounds,
        corrected / rounds,
        high / rounds,
        1e-6,
    )]
}
