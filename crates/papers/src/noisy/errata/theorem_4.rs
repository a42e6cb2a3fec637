//! Theorem 4: radial kernels that are not mixtures of Gaussians.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::search::minimum;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::eigen;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-4",
    place: "Theorem 4 (Schoenberg)",
    quote: "is a radial kernel corresponding to a valid RKHS",
    class: Class::Wrong,
    reason: "the theorem is stated for one fixed dimension",
    printed: "a radial kernel on R^d is a mixture of Gaussians (hence a kernel in every dimension)",
    corrected: "a radial function that is a kernel on R^d for every d is a mixture of Gaussians; one on the plane is a \
                mixture of J_0(t |x - x'|), t >= 0, and so at least min J_0 = -0.40 times its value at 0",
    method: "The least value of a kernel on the plane with the value 1 at 0, the mean of cos <u, x - x'> over 64 \
             directions u, which is radial to rounding for |x - x'| < 5, by golden section; J_0 by its power series. The smallest eigenvalue of the Gram matrix of max(0, 1 - |x - x'|), which is a kernel on R, at points on \
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

/// The mean of cos <u, x - x'> over 64 directions u, at |x - x'| = r.
fn mean_of_cosines(r: f64) -> f64 {
    let angle = |i: i32| std::f64::consts::TAU * (f64::from(i) + 0.3) / 64.0;
    (0..64).map(|i| (r * angle(i).cos()).cos()).sum::<f64>() / 64.0
}

/// J_0(r) = sum_k (-r^2 / 4)^k / k!^2.
fn bessel(r: f64) -> f64 {
    let terms = (1..40).scan(1.0, |term, k| {
        *term *= -0.25 * r * r / f64::from(k * k);
        Some(*term)
    });
    1.0 + terms.sum::<f64>()
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    // J_0 falls to its least value at 3.83.
    let least = |f: fn(f64) -> f64| f(minimum(2.0, 5.0, f));
    let (least_found, least_known) = (least(mean_of_cosines), least(bessel));
    let count = SIDE * SIDE;
    let line: Vec<[f64; 2]> = (0..count).map(|i| [0.1 * i as f64, 0.0]).collect();
    // The spacing 0.65 puts neighbours, but not diagonal neighbours, near the edge of the support.
    let plane: Vec<[f64; 2]> = (0..count).map(|i| [0.65 * (i % SIDE) as f64, 0.65 * (i / SIDE) as f64]).collect();
    let at_least = Relation::AtLeast;
    vec![
        ErratumNumber::exact("least value of a kernel on the plane", at_least, 0.0, least_known, least_found, 1e-9),
        ErratumNumber::exact("smallest eigenvalue on a line", at_least, 0.0, 0.0, smallest(&line), 1e-12),
        ErratumNumber::exact("smallest eigenvalue in the plane", at_least, 0.0, None, smallest(&plane), 1e-12),
    ]
}
