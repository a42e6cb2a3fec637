//! Theorem 3: the width of the kernel.

use std::f64::consts::TAU;

use crate::draw::Draws;
use crate::errata::api::{Erratum, Paper, Quantity, Relation};
use crate::errata::quadrature::between;

pub static ERRATUM: Erratum = Erratum {
    id: "noisy-theorem-3-width",
    paper: Paper::Noisy,
    place: "Theorem 3 (assumption)",
    printed: "s^2 >= 2 |Sigma|: equality is allowed (the text before (5) excludes it)",
    corrected: "s^2 > 2 |Sigma|: R^2 grows like (1 - 2 |Sigma| / s^2)^(-1/2), without bound",
    method: "The normaliser that makes the surrogate kernel unbiased at distance 0, by quadrature in one dimension; \
             and its exponent between 1 - 2 sigma^2 / s^2 = 0.001 and 0.0001",
    module: module_path!(),
    decide,
};

/// R^2 for s^2 = 2 and the variance 1 - gap: the factor that gives exp(-n^2 / (s^2 - 2 sigma^2)) the mean 1.
fn normaliser(gap: f64) -> f64 {
    let variance = 1.0 - gap;
    let density = |n: f64| (-n * n / (2.0 * variance)).exp() / (TAU * variance).sqrt();
    // The product of both Gaussians has variance gap (1 - gap); 12 of its deviations contain everything.
    let reach = 12.0 * (gap * variance).sqrt();
    0.5 / between(0.0, reach, |n| density(n) * (-n * n / (2.0 * gap)).exp())
}

fn decide(_: &Draws) -> Vec<Quantity> {
    let exponent = (normaliser(1e-4) / normaliser(1e-3)).ln() / 0.1f64.ln();
    vec![Quantity::exact("exponent of R^2 in 1 - 2 sigma^2 / s^2", Relation::Equal, 0.0, -0.5, exponent, 1e-6)]
}
