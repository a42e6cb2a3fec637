//! Periodic kernels whose eigenvalues decay like a given power, for problems with a given effective dimension.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry, on_circle};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};

/// k(x, z) = (1 + sum_{j=1}^J 2 j^(-1/gamma) cos(2 pi j (x - z))) / c on R / Z, where c makes k(x, x) = 1.
///
/// For inputs uniform on the circle the integral operator has the eigenvalue 1/c and the double eigenvalues
/// j^(-1/gamma) / c, so that d_eff(lambda) is of order (n / lambda)^gamma as long as n J^(-1/gamma) is far below
/// lambda. The case gamma = 1/(2 s), J infinite, is the kernel of the periodic Sobolev space of smoothness s.
///
/// Source: the capacity condition of R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019, section 2, for any gamma.
#[derive(Clone, Debug)]
pub(crate) struct PeriodicPower {
    /// 2 j^(-1/gamma) / c for j = 1..J.
    coefficients: Vec<f64>,
    /// 1/c.
    constant: f64,
}

impl PeriodicPower {
    /// The kernel for `gamma` > 0 with `terms` frequencies.
    pub(crate) fn new(gamma: f64, terms: u64) -> Self {
        let powers = || (1..=terms).map(|j| 2.0 * (j as f64).powf(-1.0 / gamma));
        // Summed with the smallest first.
        let scale = 1.0 + powers().rev().sum::<f64>();
        Self { coefficients: powers().map(|power| power / scale).collect(), constant: scale.recip() }
    }
}

impl Kernel for PeriodicPower {
    /// Clenshaw's recurrence: O(J) operations.
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        // The absolute value makes the kernel symmetric to the bit.
        let apart = (x[0] - z[0]).abs().fract();
        if apart == 0.0 {
            return 1.0;
        }
        let cosine = (TAU * apart).cos();
        let (mut last, mut before) = (0.0, 0.0);
        for coefficient in self.coefficients.iter().rev() {
            (last, before) = (coefficient + 2.0 * cosine * last - before, last);
        }
        self.constant + last * cosine - before
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        on_circle("periodic-power", dim)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

parameters! {
    /// Parameters of [`PeriodicPower`].
    pub(crate) struct PeriodicPowerParams {
        /// eigenvalues decay like j^(-1/gamma)
        gamma: f64 = Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.5);
        /// number of frequencies J; an evaluation takes O(J) operations
        terms: u64 = Kind::integer(1, 1_000_000) => Fallback::Integer(500);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "periodic-power",
    summary: "(1 + sum_j 2 j^(-1/gamma) cos(2 pi j (x - z))) / c: effective dimension (n / lambda)^gamma; one input of period 1",
    module: module_path!(),
    params: PeriodicPowerParams::SPECS,
    build: |params| {
        let PeriodicPowerParams { gamma, terms } = Parameters::read(params);
        Ok(Arc::new(PeriodicPower::new(gamma, terms)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recurrence_is_the_sum() {
        for gamma in [0.2, 2f64.sqrt() - 1.0, 0.6] {
            let kernel = PeriodicPower::new(gamma, 200);
            let sum = |t: f64| {
                1.0 + (1..=200)
                    .map(|j| 2.0 * f64::from(j).powf(-1.0 / gamma) * (TAU * f64::from(j) * t).cos())
                    .sum::<f64>()
            };
            for t in [0.0, 1e-9, 0.1, 0.25, 0.5, 0.77] {
                let found = kernel.evaluate(&[0.3 + t], &[0.3]);
                assert!((found - sum(t) / sum(0.0)).abs() < 1e-12, "{gamma} {t}: {found}");
            }
        }
    }

    /// On n equally spaced points the Gram matrix is circulant, with eigenvalues n times the (aliased) coefficients: the
    /// effective dimension grows like (n / lambda)^gamma.
    #[test]
    fn the_effective_dimension_follows_gamma() {
        for gamma in [0.2f64, 0.4, 0.6] {
            let kernel = PeriodicPower::new(gamma, 2000);
            let dimension = |n: f64| {
                let eigen = |j: usize| if j == 0 { kernel.constant } else { kernel.coefficients[j - 1] / 2.0 };
                let share = |j: usize| n * eigen(j) / (n * eigen(j) + 1.0);
                share(0) + 2.0 * (1..=2000).map(share).sum::<f64>()
            };
            let slope = (dimension(1e4) / dimension(1e3)).ln() / 10f64.ln();
            assert!((slope - gamma).abs() < 0.03, "{gamma}: {slope}");
        }
    }
}
