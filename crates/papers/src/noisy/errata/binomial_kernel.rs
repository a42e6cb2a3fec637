//! Section II: the sign in the binomial kernel.

use crate::errata::api::{Accuracy, Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::eigen;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-binomial-kernel",
    place: "Section II (binomial kernels)",
    quote: "binomial kernels",
    class: Class::Wrong,
    reason: "the formula is an example of a kernel and is none; the paper has no other form of it",
    printed: "(1 + <x, x'>)^(-alpha) is a dot-product kernel",
    corrected: "(1 - <x, x'>)^(-alpha), alpha > 0, |<x, x'>| < 1",
    method: "The least value at (x, x), for |x|^2 = 1/2, that a kernel with the value 1 at (0, 0) and (0, x) can have, by \
             bisection of the smallest eigenvalue of the Gram matrix, against both forms there with alpha = 1; and the \
             smallest eigenvalue of either at 12 points on a line in the unit ball",
    decide,
};

/// The smallest eigenvalue of a Gram matrix of `n` points; NaN if it could not be computed.
fn smallest(gram: &[f64], n: usize) -> f64 {
    eigen::symmetric(gram, n, false).map_or(f64::NAN, |eigen| eigen.values[0])
}

/// (1 + sign <x, x'>)^(-1).
fn binomial(sign: f64, product: f64) -> f64 {
    1.0 / (1.0 + sign * product)
}

/// The smallest eigenvalue at the points -0.9, .., 0.75 on a line.
fn on_a_line(sign: f64) -> f64 {
    let points = || (0..12).map(|i| 0.15 * f64::from(i) - 0.9);
    let gram: Vec<f64> = points().flat_map(|a| points().map(move |b| binomial(sign, a * b))).collect();
    smallest(&gram, 12)
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let at_least = Relation::AtLeast;
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..60 {
        let own = 0.5 * (low + high);
        if smallest(&[1.0, 1.0, 1.0, own], 2) < 0.0 { low = own } else { high = own }
    }
    let [printed, corrected] = [1.0, -1.0].map(|sign| binomial(sign, 0.5));
    let what = "least value at (x, x) of a kernel with these values elsewhere";
    // Rounding leaves eigenvalues of 0 at 1e-15 of the largest, which is about 10.
    let eigenvalue = |what: &str, printed: Option<f64>, corrected: Option<f64>, sign: f64| ErratumNumber {
        accuracy: Accuracy::Exact { tolerance: 1e-12 },
        ..ErratumNumber::exact(what, at_least, printed, corrected, on_a_line(sign), 0.0)
    };
    vec![
        ErratumNumber::exact(what, Relation::AtMost, printed, corrected, high, 1e-9),
        eigenvalue("smallest eigenvalue on a line, printed sign", Some(0.0), None, 1.0),
        eigenvalue("smallest eigenvalue on a line, corrected sign", None, Some(0.0), -1.0),
    ]
}
