//! The exact expected error of online least squares on the circle.
//!
//! K(x, x') = 1 + sum_k 2 k^(-2s) cos(2 pi k (x - x')), x uniform, f_rho = c sum_k 2 k^-n cos or sin (2 pi k x), noise
//! of variance v independent of x. With V_k the expected squared error in frequency k and S their sum, one step of
//! W' = 1 gives V_0 <- (1 - 2 eta) V_0 + eta^2 (S + v), V_k <- (1 - 2 eta l_k) V_k + 2 eta^2 l_k^2 (S + v),
//! l_k = k^(-2s): on the circle |exp(2 pi i k x)| = 1, so the fourth moments close.

/// A problem of this kind, truncated to its first frequencies.
pub(crate) struct CircleProblem {
    /// l_k, k = 1, 2, ...
    eigenvalues: Vec<f64>,
    /// V_0, V_1, ...
    errors: Vec<f64>,
}

/// Variance of the noise: uniform on [-1/2, 1/2].
const NOISE: f64 = 1.0 / 12.0;

impl CircleProblem {
    /// Smoothness `s`, target 0.5 P_n, with `frequencies` frequencies.
    pub(crate) fn new(s: i32, n: i32, frequencies: usize) -> Self {
        let of = |k: usize, power: i32| (k as f64).powi(-power);
        let mut errors = vec![0.0];
        errors.extend((1..=frequencies).map(|k| 2.0 * (0.5 * of(k, n)).powi(2)));
        Self { eigenvalues: (1..=frequencies).map(|k| of(k, 2 * s)).collect(), errors }
    }

    /// One round with step `eta`.
    pub(crate) fn step(&mut self, eta: f64) {
        let power = self.risk();
        self.errors[0] = (1.0 - 2.0 * eta) * self.errors[0] + eta * eta * power;
        for (error, l) in self.errors[1..].iter_mut().zip(&self.eigenvalues) {
            *error = (1.0 - 2.0 * eta * l) * *error + 2.0 * (eta * l).powi(2) * power;
        }
    }

    /// E |f - f_rho|^2 in L2.
    pub(crate) fn square(&self) -> f64 {
        self.errors.iter().sum()
    }

    /// E (f(x) - y)^2.
    pub(crate) fn risk(&self) -> f64 {
        self.square() + NOISE
    }

    /// E |f - f_rho|_K^2.
    pub(crate) fn square_in_rkhs(&self) -> f64 {
        self.errors[0] + self.errors[1..].iter().zip(&self.eigenvalues).map(|(error, l)| error / l).sum::<f64>()
    }
}
