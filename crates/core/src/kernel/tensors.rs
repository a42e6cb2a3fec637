//! Kernels whose feature space consists of tensor powers: Psi(x) = damp(x) (sqrt(beta_n) x^(n))_n, where x^(n) is the n-fold
//! tensor power and damp(x) = exp(-damping |x|^2), so that k(x, z) = damp(x) damp(z) sum_n beta_n <x, z>^n. A kernel that
//! shortens long inputs has the features Psi(shortening(x) x).

/// Such a kernel, in the form that learners need to estimate features from noisy copies (Cesa-Bianchi, Shalev-Shwartz,
/// Shamir, section V).
pub trait TensorFeatures {
    /// beta_n >= 0.
    fn beta(&self, n: u32) -> f64;

    /// Q(z) = sum_n beta_n z^n for z >= 0; infinite beyond the radius of convergence.
    fn series(&self, z: f64) -> f64;

    /// The factor in (0, 1] by which the kernel shortens `x`; 1 for kernels that take all inputs as they are.
    fn shortening(&self, x: &[f64]) -> f64 {
        let _ = x;
        1.0
    }

    /// The rate of damp(x) = exp(-damping |x|^2); 0 for kernels of the inner product.
    fn damping(&self) -> f64 {
        0.0
    }
}

/// x^n / n!, by products that overflow only if the result does.
pub(crate) fn exponential_term(x: f64, n: u32) -> f64 {
    (1..=n).fold(1.0, |term, k| term * x / f64::from(k))
}
