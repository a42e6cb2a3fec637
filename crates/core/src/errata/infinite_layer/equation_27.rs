//! (27): the cost of estimates that stray from their mean.

use crate::draw::Draws;
use crate::errata::api::{Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-equation-27",
    paper: Paper::InfiniteLayer,
    place: "(27)",
    printed: "m >= (3 eta t)^2 log(gamma) for every t makes the last term at most eta T",
    corrected: "at most 2 eta T (the larger m of C.2 makes the printed line true)",
    method: "The last term, with P_t from Lemma 2 summed over t, for m = (3 eta t)^2 log(gamma), B = 1, T = 4096, eta \
             = B / (2 sqrt(T))",
    module: module_path!(),
    decide,
};

fn decide(_: &Draws) -> Vec<Quantity> {
    let (b, rounds) = (1.0f64, 4096u32);
    let eta = b / (2.0 * f64::from(rounds).sqrt());
    let total = eta * f64::from(rounds);
    let radius = (16.0 * b + 1.0) * total;
    let gamma = ((radius + b) / eta).powi(2).max(1f64.exp());
    let strayed = (1..=rounds).map(|t| {
        let scale = (3.0 * eta * f64::from(t)).powi(2);
        let m = scale * gamma.ln();
        2.0 * (-m / scale).exp()
    });
    let term = (radius + b).powi(2) / eta * strayed.sum::<f64>();
    vec![Quantity::exact("last term", Relation::AtMost, total, 2.0 * total, term, 1e-9)]
}
