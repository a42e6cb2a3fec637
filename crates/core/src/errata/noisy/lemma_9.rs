//! Lemmas 9 and 11: the size of the surrogate of the mixture kernel.

use crate::draw::Draws;
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};
use crate::errata::quadrature::between;

pub static ERRATUM: Erratum = Erratum {
    id: "noisy-lemma-9",
    paper: Paper::Noisy,
    place: "Lemmas 9 and 11, Theorem 5",
    quote: "by a Taylor expansion of the log function",
    class: Class::Wrong,
    reason: "the lemma states the bound, and it is exceeded",
    printed: "k^(x, x) and k^/k are at most exp(2 sigma c), for c < d / (4 sigma)",
    corrected: "at most exp(2 sigma^2 c), for c <= d / (4 sigma^2)",
    method: "k^(x, x) of the corrected (8) by quadrature, sigma = 3, d = 400, c = 4",
    module: module_path!(),
    decide,
};

fn decide(_: &Draws) -> Vec<Quantity> {
    let (sigma, d, c) = (3.0f64, 400.0f64, 4.0f64);
    let surrogate = |u: f64| d * (1.0 - 2.0 * sigma * sigma * u).powf(-d / 2.0) * (-u * d).exp();
    let diagonal = between(0.0, c / d, surrogate);
    let ratio = diagonal / (1.0 - (-c).exp());
    let (printed, corrected) = ((2.0 * sigma * c).exp(), (2.0 * sigma * sigma * c).exp());
    // Logarithms are compared, because the tolerance is relative to the largest number of the row.
    let row =
        |what, value: f64| Quantity::exact(what, Relation::AtMost, printed.ln(), corrected.ln(), value.ln(), 1e-9);
    vec![row("log k^(x, x)", diagonal), row("log of k^(x, x) / k(x, x)", ratio)]
}
