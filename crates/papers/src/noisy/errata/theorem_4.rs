//! Theorem 4: radial kernels that are not mixtures of Gaussians.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::eigen;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-4",
    place: "Theorem 4 (Schoenberg)",
    quote: "is a radial kernel corresponding to a valid RKHS",
    class: Class::Wrong,
    reason: "the theorem is stated for one fixed dimension",
    printed: "a radial kernel on R^d is a mixture of Gaussians (hence a kernel in every dimension)",
    corrected: "a radial function that is a kernel on R^d for every d is a mixture of Gaussians",
    method: "The smallest eigenvalue of the Gram matrix of max(0, 1 - |x - x'|), which is a kernel on R, at points on \
             a line and on a 7 x 7 lattice in the plane",
    decide,
};

/// Number of points per side of the lattice.
const SIDE: usize = 7;

/// The smallest eigenvalue of the Gram matrix at these points; NaN if it could not be computed.
fn smallest(points: &[[f64; 2]]) -> f64 {
    let n = points.len();
    let distance = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let gram: Vec<f64> = points.iter().flat_map(|a| points.iter().map(|b| (1.0 - distance(a, b)).max(0.0))).collect();
    eigen::symmetric(&gram, n, false).map_or(f64::NAN, |eigen| eigen.values[0])
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let count = SIDE * SIDE;
    let line: Vec<[f64; 2]> = (0..count).map(|i| [0.1 * i as f64, 0.0]).collect();
    // The spacing 0.65 puts neighbours, but not diagonal neighbours, near the edge of the support.
    let plane: Vec<[f64; 2]> = (0..count).map(|i| [0.65 * (i % SIDE) as f64, 0.65 * (i / SIDE) as f64]).collect();
    let at_least = Relation::AtLeast;
    vec![
        ErratumNumber::exact("smallest eigenvalue on a line", at_least, 0.0, 0.0, smallest(&line), 1e-12),
        ErratumNumber::exact("smallest eigenvalue in the plane", at_least, 0.0, None, smallest(&plane), 1e-12),
    ]
}
