//! What random Fourier features of the Gaussian kernel cost a forecaster, in expectation over their frequencies.
//!
//! All of it is for rounds that are fixed before the frequencies are drawn; an adversary that sees them is outside of it.
//! Source: A. Rahimi, B. Recht, NIPS 2007, for the features; the bound is derived here: f = E alpha(omega) exp(i omega x)
//! with E |alpha|^2 = |f|^2, so that w_j = alpha(omega_j) / sqrt D has E |w|^2 = |f|^2 and E (w' z(x) - f(x))^2 <= |f|^2 / D.

/// The penalty lambda + n / D of the functions that PKAWV over D independent frequencies competes with.
pub fn fourier_penalty(lambda: f64, rounds: f64, frequencies: f64) -> f64 {
    lambda + rounds / frequencies
}

/// The bound on E sum (p_t - y_t)^2 of PKAWV over D independent frequencies, |y_t| <= B:
/// min_f {sum (y_t - f(x_t))^2 + (lambda + n / D) |f|^2} + B^2 log det(I + K / lambda). `objective` is the minimum.
pub fn fourier_awv_loss(objective: f64, bound: f64, log_det: f64) -> f64 {
    objective + bound * bound * log_det
}

/// The variance of the features' inner product at x, z over D independent frequencies, (1 - k(x, z)^2)^2 / (2 D), where
/// `kernel` = k(x, z) = exp(-|x - z|^2 / (2 b^2)).
pub fn fourier_variance(kernel: f64, frequencies: f64) -> f64 {
    (1.0 - kernel * kernel).powi(2) / (2.0 * frequencies)
}
