//! Numerical integration.

use std::f64::consts::PI;

use crate::linalg::eigen::symmetric;
use crate::linalg::vector::{add_scaled, dot, squared_norm};

/// Nodes and weights of the Gauss-Legendre rule with `count` >= 1 nodes on [-1, 1], nodes ascending: exact for
/// polynomials of degree 2 count - 1.
pub fn gauss_legendre(count: usize) -> Vec<(f64, f64)> {
    let mut rule = vec![(0.0, 0.0); count];
    for i in 0..count.div_ceil(2) {
        let (x, weight) = legendre_root(count, i);
        rule[i] = (-x, weight);
        rule[count - 1 - i] = (x, weight);
    }
    rule
}

/// Root `i` (from 0, the largest first) of the Legendre polynomial of degree `count`, and its weight.
fn legendre_root(count: usize, i: usize) -> (f64, f64) {
    let n = count as f64;
    let mut x = (PI * (i as f64 + 0.75) / (n + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..100 {
        let (mut value, mut before) = (1.0, 0.0);
        for k in 0..count {
            let k = k as f64;
            (value, before) = (((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0), value);
        }
        slope = n * (x * value - before) / (x * x - 1.0);
        let step = value / slope;
        x -= step;
        if step.abs() <= 2.0 * f64::EPSILON {
            break;
        }
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
}

/// The Gauss rule with `count` >= 1 nodes of the measure that has mass m >= 0 at x for each (x, m) of `points`: nodes
/// and masses, nodes ascending. It integrates polynomials of degree 2 count - 1 exactly; if the points are fewer than
/// `count`, or if fewer nodes are exact to rounding, it has fewer. Nodes lie between the smallest and the largest point.
/// Empty for a measure without mass.
///
/// Computed by the Lanczos method with full orthogonalisation (W. Gautschi, "Orthogonal polynomials", section 2.2.3).
pub fn gauss_of(points: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let total: f64 = points.iter().map(|(_, mass)| mass).sum();
    let ends = |(low, high): (f64, f64), x: f64| (low.min(x), high.max(x));
    let (low, high) = points.iter().map(|(x, _)| *x).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if !(total > 0.0 && total.is_finite()) {
        return Vec::new();
    }
    // The rows of the basis are the orthonormal polynomials at the points, times the roots of the masses.
    let mut basis: Vec<Vec<f64>> = vec![points.iter().map(|(_, mass)| (mass / total).sqrt()).collect()];
    let (mut diagonal, mut side) = (Vec::new(), Vec::new());
    while let Some(last) = basis.last() {
        let mut next: Vec<f64> = last.iter().zip(points).map(|(q, (x, _))| q * x).collect();
        diagonal.push(dot(&next, last));
        if diagonal.len() == count.min(points.len()) {
            break;
        }
        for _ in 0..2 {
            for row in &basis {
                let along = dot(row, &next);
                add_scaled(&mut next, -along, row);
            }
        }
        let norm = squared_norm(&next).sqrt();
        if norm <= 1e-15 * (high - low) {
            break;
        }
        next.iter_mut().for_each(|entry| *entry /= norm);
        side.push(norm);
        basis.push(next);
    }
    let n = diagonal.len();
    let mut jacobi = vec![0.0; n * n];
    diagonal.iter().enumerate().for_each(|(i, value)| jacobi[i * n + i] = *value);
    side.iter().enumerate().for_each(|(i, value)| jacobi[(i + 1) * n + i] = *value);
    let Ok(eigen) = symmetric(&jacobi, n, true) else { return Vec::new() };
    let first = eigen.vectors.chunks_exact(n).map(|vector| total * vector[0] * vector[0]);
    eigen.values.iter().map(|x| x.clamp(low, high)).zip(first).filter(|(_, mass)| *mass > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_for_polynomials_and_close_for_smooth_functions() {
        for count in [1, 2, 5, 64] {
            let rule = gauss_legendre(count);
            assert!(rule.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for degree in 0..(2 * count as i32).min(40) {
                let integral: f64 = rule.iter().map(|(x, w)| w * x.powi(degree)).sum();
                let exact = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
                assert!((integral - exact).abs() < 1e-14, "{count} nodes, degree {degree}: {integral}");
            }
        }
        let integral: f64 = gauss_legendre(20).iter().map(|(x, w)| w * x.exp()).sum();
        assert!((integral - 2.0 * 1f64.sinh()).abs() < 1e-14);
    }

    /// The measure that has the masses of a Gauss-Legendre rule of 40 nodes has the Gauss-Legendre rules of fewer nodes.
    #[test]
    fn rules_of_a_measure() {
        let points = gauss_legendre(40);
        for count in [1, 2, 7, 24] {
            for ((x, mass), (node, weight)) in gauss_of(&points, count).into_iter().zip(gauss_legendre(count)) {
                assert!((x - node).abs() < 1e-13 && (mass - weight).abs() < 1e-13, "{count}: {x} {node}");
            }
        }
        assert_eq!(gauss_of(&[(3.0, 2.0), (5.0, 2.0)], 9).len(), 2);
        let [(middle, total)] = gauss_of(&[(3.0, 2.0), (5.0, 2.0)], 1)[..] else { unreachable!() };
        assert!((middle - 4.0f64).abs() < 1e-14 && (total - 4.0f64).abs() < 1e-14);
        assert!(gauss_of(&[(3.0, 0.0)], 4).is_empty() && gauss_of(&[], 4).is_empty());
    }
}
