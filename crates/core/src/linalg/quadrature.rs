//! Numerical integration.

use std::f64::consts::PI;

/// Nodes and weights of the Gauss-Legendre rule with `count` >= 1 nodes on [-1, 1], nodes ascending: exact for
/// polynomials of degree 2 count - 1.
pub fn gauss_legendre(count: usize) -> Vec<(f64, f64)> {
    let mut rule = vec![(0.0, 0.0); count];
    for i in 0..count.div_ceil(2) {
        let (x, weight) = legendre_root(count, i, 2.0 * f64::EPSILON);
        rule[i] = (-x, weight);
        rule[count - 1 - i] = (x, weight);
    }
    rule
}

/// Root `i` (from 0, the largest first) of the Legendre polynomial of degree `count`, and its weight. Newton's method ends
/// with a step of at most `tolerance`.
pub fn legendre_root(count: usize, i: usize, tolerance: f64) -> (f64, f64) {
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
        if step.abs() <= tolerance {
            break;
        }
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
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
}
