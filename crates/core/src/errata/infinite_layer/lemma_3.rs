//! Lemma 3: the concentration of the estimate.

use crate::draw::Draws;
use crate::errata::api::{Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-lemma-3",
    paper: Paper::InfiniteLayer,
    place: "Lemma 3, (15), (16)",
    printed: "P(|E - <f, Phi(x)>| > eps) <= exp(-m eps^2 / |alpha|_1^2)",
    corrected: "<= 2 exp(-m eps^2 / (2 |alpha|_1^2))",
    method: "The exact binomial probability (sign features of orthogonal inputs are fair coins) for |alpha|_1 = 1, eps \
             = 0.2",
    module: module_path!(),
    decide,
};

/// P(|mean of m fair signs| > eps).
fn probability(m: u32, eps: f64) -> f64 {
    let mut mass = 0.5f64.powi(m as i32);
    let mut sum = 0.0;
    for heads in 0..=m {
        let mean = (2.0 * f64::from(heads) - f64::from(m)) / f64::from(m);
        // The margin keeps rounding from deciding about means that equal eps.
        if mean.abs() > eps + 1e-9 {
            sum += mass;
        }
        mass *= f64::from(m - heads) / f64::from(heads + 1);
    }
    sum
}

fn decide(_: &Draws) -> Vec<Quantity> {
    let eps = 0.2f64;
    [100u32, 400]
        .iter()
        .map(|&m| {
            let exponent = f64::from(m) * eps * eps;
            let (printed, corrected) = ((-exponent).exp(), 2.0 * (-0.5 * exponent).exp());
            let what = format!("P(|E - <f, Phi(x)>| > 0.2), m = {m}");
            Quantity::exact(&what, Relation::AtMost, printed, corrected, probability(m, eps), 1e-9)
        })
        .collect()
}
