//! Section II: the sign in the binomial kernel.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
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
    method: "The smallest eigenvalue of the Gram matrix at the two points 0 and x with |x|^2 = 1/2, alpha = 1",
    decide,
};

/// The smallest eigenvalue of [[1, 1], [1, own]]; NaN if it could not be computed.
fn smallest(own: f64) -> f64 {
    eigen::symmetric(&[1.0, 1.0, 1.0, own], 2, false).map_or(f64::NAN, |eigen| eigen.values[0])
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let at_least = Relation::AtLeast;
    vec![
        ErratumNumber::exact("smallest eigenvalue, printed sign", at_least, 0.0, None, smallest(1.0 / 1.5), 1e-12),
        ErratumNumber::exact("smallest eigenvalue, corrected sign", at_least, None, 0.0, smallest(1.0 / 0.5), 1e-12),
    ]
}
