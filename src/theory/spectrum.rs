//! Spectra of kernels under laws of inputs: bounds in terms of log det(I + K / lambda), in expectation.
//!
//! For independent inputs the Gram matrix K of n of them has E log det(I + K / lambda) <= sum_k log(1 + n mu_k / lambda),
//! mu_k being the eigenvalues of the integral operator of the kernel: log det is concave and E K / n is the operator
//! (Jensen; det(I + Phi' Phi) = det(I + Phi Phi')).

use std::f64::consts::TAU;

/// sum_k log(1 + scale mu_k) for the kernel 1 + sum_k 2 cos(2 pi k (x - z)) / (2 pi k)^(1/gamma) and uniform inputs on
/// [0, 1], 0 < gamma < 1: eigenvalues 1 and, twice each, (2 pi k)^(-1/gamma). An upper bound, by an integral for the
/// tail. The periodic spline kernel of smoothness s has gamma = 1 / (2s).
pub fn periodic_log_det(scale: f64, gamma: f64) -> f64 {
    const TERMS: u32 = 20_000;
    let power = -1.0 / gamma;
    let head: f64 = (1..=TERMS).map(|k| 2.0 * (scale * (TAU * f64::from(k)).powf(power)).ln_1p()).sum();
    // log(1 + x) <= x, and the sum is below the integral from the last term on.
    let tail = 2.0 * scale * TAU.powf(power) * f64::from(TERMS).powf(power + 1.0) / (-power - 1.0);
    scale.ln_1p() + head + tail
}

/// sum_k log(1 + scale mu_k) for the Gaussian kernel of bandwidth 1 and inputs N(0, I) in so many dimensions.
///
/// In one dimension mu_k = sqrt(2a / A) (b / A)^k with a = 1/4, b = 1/2, A = a + b + sqrt(a^2 + 2 a b); in several the
/// eigenvalues are products, (2a / A)^(d/2) (b / A)^j with multiplicity C(j + d - 1, d - 1). Source: C. Rasmussen,
/// C. Williams, Gaussian Processes for Machine Learning, section 4.3.1.
pub fn gaussian_log_det(scale: f64, dimension: f64) -> f64 {
    let (a, b) = (0.25_f64, 0.5);
    let sum = a + b + (a * a + 2.0 * a * b).sqrt();
    let ratio = b / sum;
    let (mut eigenvalue, mut count) = ((2.0 * a / sum).powf(0.5 * dimension), 1.0);
    let (mut total, mut j) = (0.0, 0.0);
    loop {
        let term = count * (scale * eigenvalue).ln_1p();
        total += term;
        j += 1.0;
        count *= (j + dimension - 1.0) / j;
        eigenvalue *= ratio;
        // The terms fall like j^(d - 1) ratio^j once scale * eigenvalue is small.
        if j > 4.0 * dimension && term < 1e-14 * total || !term.is_finite() {
            return total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};
    use crate::kernel::api::Kernel;
    use crate::kernel::gaussian::Gaussian;
    use crate::linalg::eigen::symmetric;

    /// The eigenvalues add up to the mean of k(x, x) = 1: for small scales the sum is the scale.
    #[test]
    fn eigenvalues_add_up() {
        for dimension in [1.0, 2.0, 3.0] {
            assert!((gaussian_log_det(1e-9, dimension) / 1e-9 - 1.0).abs() < 1e-6);
        }
        // 1 + 2 sum (2 pi k)^-2 = 1 + 1/12; the tail is an upper bound, 5e-6 too large here.
        assert!((periodic_log_det(1e-9, 0.5) / 1e-9 - 13.0 / 12.0).abs() < 1e-5);
    }

    /// The mean of log det(I + K / lambda) over 40 samples of 60 inputs lies below its bound, and not far below.
    #[test]
    fn the_bound_in_expectation_holds() {
        let kernel = Gaussian::new(1.0);
        let draws = Draws::named(&["test", "spectrum"]);
        let log_det = |sample: u64| {
            let mut draw = draws.at(Role::Example, sample);
            let x: Vec<f64> = (0..60).map(|_| draw.normal()).collect();
            let entries = x.iter().flat_map(|a| x.iter().map(|b| kernel.evaluate(&[*a], &[*b])));
            let gram: Vec<f64> = entries.collect();
            symmetric(&gram, 60, false).unwrap().values.iter().map(|value| value.max(0.0).ln_1p()).sum::<f64>()
        };
        let mean = (0..40).map(log_det).sum::<f64>() / 40.0;
        let bound = gaussian_log_det(60.0, 1.0);
        assert!(mean < bound && mean > 0.9 * bound, "{mean}, bound {bound}");
    }
}
