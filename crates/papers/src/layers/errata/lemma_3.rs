//! Lemma 3: the concentration of the estimate.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::layers::errata::coins::probability;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-lemma-3",
    place: "Lemma 3, (15), (16)",
    quote: "be the output of Algorithm 2",
    class: Class::Wrong,
    reason: "the lemma states the bound, and fair coins exceed it",
    printed: "P(|E - <f, Phi(x)>| > eps) <= exp(-m eps^2 / |alpha|_1^2)",
    corrected: "<= 2 exp(-m eps^2 / (2 |alpha|_1^2))",
    method: "The exact binomial probability (sign features of orthogonal inputs are fair coins) for |alpha|_1 = 1, eps \
             = 0.2",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let eps = 0.2f64;
    [100u32, 400]
        .iter()
        .map(|&m| {
            let exponent = f64::from(m) * eps * eps;
            let (printed, corrected) = ((-exponent).exp(), 2.0 * (-0.5 * exponent).exp());
            let what = format!("P(|E - <f, Phi(x)>| > 0.2), m = {m}");
            ErratumNumber::exact(&what, Relation::AtMost, printed, corrected, probability(m, eps), 1e-9)
        })
        .collect()
}
