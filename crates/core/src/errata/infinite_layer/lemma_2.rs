//! Lemma 2: the constant in the exponent.

use crate::draw::Draws;
use crate::errata::api::{Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-lemma-2",
    paper: Paper::InfiniteLayer,
    place: "Lemma 2",
    printed: "P_t <= 2 exp(-m / (3 eta t)^2) for every B >= 1",
    corrected: "P_t <= 2 exp(-m / (C (eta t)^2)), C = (16 B + 1)^2 / (32 B^2); 9 suffices from B = 1.0303 on",
    method: "The constant that Hoeffding's inequality gives for a deviation of 8 B of a mean of m terms within +- (16 \
             B + 1) eta t; and, by bisection, the B from which on it is at most 9",
    module: module_path!(),
    decide,
};

/// The C of Hoeffding's 2 exp(-2 m (8 B)^2 / (2 L)^2) = 2 exp(-m / (C (eta t)^2)), L = (16 B + 1) eta t.
fn constant(b: f64) -> f64 {
    let (reach, deviation) = (16.0 * b + 1.0, 8.0 * b);
    let per_draw = 2.0 * deviation * deviation / (2.0 * reach).powi(2);
    per_draw.recip()
}

fn decide(_: &Draws) -> Vec<Quantity> {
    let (mut low, mut high) = (1.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if constant(middle) > 9.0 { low = middle } else { high = middle }
    }
    // (16 B + 1)^2 = 288 B^2 where 16 B + 1 = sqrt(288) B.
    let root = 1.0 / (288f64.sqrt() - 16.0);
    vec![
        Quantity::exact("constant at B = 1", Relation::AtMost, 9.0, 289.0 / 32.0, constant(1.0), 1e-12),
        Quantity::exact("B from which 9 suffices", Relation::Equal, 1.0, root, high, 1e-12),
    ]
}
