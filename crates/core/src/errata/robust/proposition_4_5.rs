//! Proposition 4.5: the first rounds of its induction.

use std::f64::consts::E;

use crate::draw::Draws;
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "robust-proposition-4-5",
    paper: Paper::Robust,
    place: "Proposition 4.5 (proof)",
    quote: "The following uniform bound for",
    class: Class::ProofGap,
    reason: "the inequality fails in the first rounds; what the induction needs holds from T = 3 on",
    printed: "2 (eta a)^2 + (eta a / e) (1 + .. + 1/(t-1)) <= 2 eta (a + 1/(2e))^2 log(t) <= 1/2 under (28), for every \
              t",
    corrected: "false at t = 2; the left side is at most 1/2 from T = 3 on",
    method: "The largest left side over a = 2^k / (2 e), |k| <= 10 in steps of 0.01, at t = T with the largest eta \
             that (28) allows",
    module: module_path!(),
    decide,
};

fn largest(horizon: u32) -> f64 {
    let harmonic: f64 = (1..horizon).map(|i| 1.0 / f64::from(i)).sum();
    let left = |a: f64| {
        let step = a / ((1.0 / E + 2.0 * a).powi(2) * f64::from(horizon).ln());
        2.0 * step * step + step / E * harmonic
    };
    (-1000..=1000).map(|k| left(2f64.powf(0.01 * f64::from(k)) / (2.0 * E))).fold(0.0, f64::max)
}

fn decide(_: &Draws) -> Vec<Quantity> {
    let at_most = Relation::AtMost;
    vec![
        Quantity::exact("largest left side, T = 2", at_most, 0.5, None, largest(2), 1e-12),
        Quantity::exact("largest left side, T = 3", at_most, 0.5, 0.5, largest(3), 1e-12),
        Quantity::exact("largest left side, T = 4", at_most, 0.5, 0.5, largest(4), 1e-12),
    ]
}
