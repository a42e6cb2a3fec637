//! Spectra of kernels under laws of inputs: bounds in terms of log det(I + K / lambda), in expectation.
//!
//! The Gram matrix K of n independent inputs has E log det(I + K / lambda) <= sum_k log(1 + n mu_k / lambda), where
//! mu_k are the eigenvalues of the kernel's integral operator. This is Jensen's inequality: log det is concave, det(I +
//! Phi' Phi) = det(I + Phi Phi'), and the mean of Phi Phi' / n is the operator.

use std::f64::consts::TAU;

/// sum_k log(1 + scale mu_k) for the kernel 1 + sum_k 2 cos(2 pi k (x - z)) / (2 pi k)^(1/gamma) and uniform inputs on
/// [0, 1], 0 < gamma < 1: the eigenvalues are 1 and, twice each, (2 pi k)^(-1/gamma). This is an upper bound, with an
/// integral for the tail. The periodic spline kernel of smoothness s has gamma = 1 / (2s).
pub(crate) fn periodic_log_det(scale: f64, gamma: f64) -> f64 {
    const TERMS: u32 = 20_000;
    let power = -1.0 / gamma;
    let head: f64 = (1..=TERMS).map(|k| 2.0 * (scale * (TAU * f64::from(k)).powf(power)).ln_1p()).sum();
    // log(1 + x) <= x, and the sum is below the integral from the last term on.
    let tail = 2.0 * scale * TAU.powf(power) * f64::from(TERMS).powf(power + 1.0) / (-power - 1.0);
    scale.ln_1p() + head + tail
}

/// sum_k log(1 + scale mu_k) for the Gaussian kernel of bandwidth 1 and inputs N(0, I) in this number of dimensions.
///
/// In one dimension mu_k = sqrt(2a / A) (b / A)^k with a = 1/4, b = 1/2, A = a + b + sqrt(a^2 + 2 a b); in several the
/// eigenvalues are products, (2a / A)^(d/2) (b / A)^j with multiplicity C(j + d - 1, d - 1). Source: C. Rasmussen,
/// C. Williams, Gaussian Processes for Machine Learning, section 4.3.1.
pub(crate) fn gaussian_log_det(scale: f64, dimension: f64) -> f64 {
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

/// An upper bound of sum_k log(1 + scale mu_k) for the Gaussian kernel of bandwidth 1 and inputs uniform on [-1, 1]^d.
///
/// Their density 2^-d is at most c^d times that of N(0, I), where c = (1/2) sqrt(2 pi e) = 2.07 comes from the corners.
/// The same holds for the operators and their eigenvalues, so that the sum is at most that of [`gaussian_log_det`] at
/// c^d times the scale.
pub(crate) fn uniform_log_det(scale: f64, dimension: f64) -> f64 {
    let ratio = 0.5 * (TAU * 1f64.exp()).sqrt();
    gaussian_log_det(scale * ratio.powf(dimension), dimension)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::kernel::api::Kernel;
    use noregret_core::kernel::gaussian::Gaussian;
    use noregret_core::kernel::sobolev_periodic::SobolevPeriodic;
    use noregret_numeric::draw::{Draw, Draws, Role};
    use noregret_numeric::linalg::dense::cholesky;
    use noregret_numeric::linalg::eigen::symmetric;

    /// The eigenvalues add up to the mean of k(x, x) = 1, so that for small scales the sum is the scale.
    #[test]
    fn eigenvalues_add_up() {
        for dimension in [1.0, 2.0, 3.0] {
            assert!((gaussian_log_det(1e-9, dimension) / 1e-9 - 1.0).abs() < 1e-6);
        }
        // 1 + 2 sum (2 pi k)^-2 = 1 + 1/12; the tail is an upper bound, 5e-6 too large here.
        assert!((periodic_log_det(1e-9, 0.5) / 1e-9 - 13.0 / 12.0).abs() < 1e-5);
    }

    /// The mean of log det(I + K / lambda) over 40 samples of 60 inputs lies below its bound, and not far below. For
    /// uniform inputs the bound is that of a law with tails, which fills more directions.
    #[test]
    fn the_bounds_in_expectation_hold() {
        let kernel = Gaussian::new(1.0);
        let draws = Draws::named(&["test", "spectrum"]);
        let log_det = |sample: u64, input: fn(&mut Draw) -> f64| {
            let mut draw = draws.at(Role::Example, sample);
            let x: Vec<f64> = (0..60).map(|_| input(&mut draw)).collect();
            let entries = x.iter().flat_map(|a| x.iter().map(|b| kernel.evaluate(&[*a], &[*b])));
            let gram: Vec<f64> = entries.collect();
            symmetric(&gram, 60, false).unwrap().values.iter().map(|value| value.max(0.0).ln_1p()).sum::<f64>()
        };
        let mean = |input| (0..40).map(|sample| log_det(sample, input)).sum::<f64>() / 40.0;
        let (normal, bound) = (mean(|draw| draw.normal()), gaussian_log_det(60.0, 1.0));
        assert!(normal < bound && normal > 0.9 * bound, "{normal}, bound {bound}");
        let (uniform, bound) = (mean(|draw| draw.between(-1.0, 1.0)), uniform_log_det(60.0, 1.0));
        assert!(uniform < bound && uniform > 0.4 * bound, "{uniform}, bound {bound}");
    }

    /// The exponent of `value` at the first and the last of these n.
    fn exponent(first: f64, last: f64, value: impl Fn(f64) -> f64) -> f64 {
        (value(last) / value(first)).ln() / (last / first).ln()
    }

    /// log det(I + K g^2 / (8 c alpha)), which times c is the regret of Sketched-KONS: with g^2 = 4 (fair coins), c = 10,
    /// alpha = n^0.2 and gamma = 1/4 it does not grow like n^0.2 before thousands of rounds.
    #[test]
    fn a_tenth_of_the_rounds_delays_the_rate() {
        let log_det = |n: f64| periodic_log_det(0.05 * n.powf(0.8), 0.25);
        let [early, middle, late] =
            [(64.0, 512.0), (512.0, 4096.0), (1e6, 1e9)].map(|(first, last)| exponent(first, last, log_det));
        assert!((early - 0.43).abs() < 0.005 && (middle - 0.27).abs() < 0.005, "{early} {middle}");
        assert!((late - 0.2).abs() < 0.005, "{late}");
    }

    /// The size of a dictionary of Corollaries 7 and 8 is the sum of its probabilities: up to a factor sum_t h_t / (1 +
    /// h_t), for mu = n^-e. On the range of the rates this sum grows faster than (n / mu)^gamma, although log det(I + K
    /// / mu) = sum_t log(1 + h_t) does not. The reason is that scores are at most 1. That lowers the sum by the order
    /// of mu^(-gamma / (1 - gamma)), the number of rounds whose score is near 1. So (n / mu)^gamma minus a multiple of
    /// that number fits the sum.
    #[test]
    fn online_scores_are_cut_off_at_one() {
        let draws = Draws::named(&["test", "online scores"]);
        // Smoothness, e, and the exponents of the sum of scores and of the log-determinant.
        for (smoothness, e, steep, flat) in
            [(2, 0.6, 0.445, 0.395), (2, 2.0 / 0.9375 - 1.0, 0.61, 0.535), (1, 1.0 / 3.0, 0.71, 0.674)]
        {
            let kernel = SobolevPeriodic::new(smoothness, true).unwrap();
            let gamma = 0.5 / smoothness as f64;
            let sums = |n: usize| {
                let (mut scores, mut log_det) = (0.0, 0.0);
                for sample in 0..8 {
                    let mut draw = draws.at(Role::Example, sample);
                    let x: Vec<f64> = (0..n).map(|_| draw.between(0.0, 1.0)).collect();
                    let scale = (n as f64).powf(e);
                    let mut gram: Vec<f64> =
                        x.iter().flat_map(|a| x.iter().map(|b| scale * kernel.evaluate(&[*a], &[*b]))).collect();
                    gram.iter_mut().step_by(n + 1).for_each(|own| *own += 1.0);
                    cholesky(&mut gram, n, n, 1.0).unwrap();
                    for pivot in gram.iter().step_by(n + 1).map(|pivot| pivot * pivot) {
                        scores += (1.0 - 1.0 / pivot) / 8.0;
                        log_det += pivot.ln() / 8.0;
                    }
                }
                (n as f64, scores, log_det)
            };
            let sizes = [64, 128, 256, 512].map(sums);
            let slope = |first: f64, last: f64| (last / first).ln() / 8f64.ln();
            let found = (slope(sizes[0].1, sizes[3].1), slope(sizes[0].2, sizes[3].2));
            assert!((found.0 - steep).abs() < 0.015 && (found.1 - flat).abs() < 0.015, "{smoothness} {e}: {found:?}");
            // The two coefficients, which are fitted at the ends, hold in between.
            let row = |(n, scores, _): (f64, f64, f64)| {
                (n.powf(gamma * (1.0 + e)), n.powf(e * gamma / (1.0 - gamma)), scores)
            };
            let ((p, q, s), (u, v, w)) = (row(sizes[0]), row(sizes[3]));
            let (a, b) = ((s * v - w * q) / (p * v - u * q), (s * u - w * p) / (p * v - u * q));
            assert!(a > 0.0 && b > 0.0, "{smoothness} {e}: {a} {b}");
            for (p, q, s) in [row(sizes[1]), row(sizes[2])] {
                assert!((a * p - b * q - s).abs() < 0.02 * s, "{smoothness} {e}: {a} {b} {s}");
            }
        }
    }
}
