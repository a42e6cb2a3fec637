//! The kernel of the periodic Sobolev space on the circle (periodic splines).

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry, on_circle};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::linalg::bernoulli::Periodic;
use noregret_numeric::linalg::matrix::Rows;

/// k(x, z) = 1 + sum_{j>=1} 2 mu_j cos(2 pi j (x - z)) on R / Z, with mu_j = j^(-2 smoothness) (`cycles`) or
/// (2 pi j)^(-2 smoothness) (`angular`), in closed form by a Bernoulli polynomial.
///
/// `angular` is the reproducing kernel of the norm |f|^2 = (mean of f)^2 + |f^(smoothness)|^2_{L2}; `cycles` measures
/// frequencies in cycles instead, so that the same functions have smaller norms.
///
/// Source: G. Wahba, Spline Models for Observational Data (1990), section 2.1.
#[derive(Clone, Debug)]
pub struct SobolevPeriodic {
    series: Periodic,
    weight: f64,
}

/// The largest smoothness for which the Bernoulli polynomial is accurate.
const LARGEST_SMOOTHNESS: u64 = Periodic::MAX as u64 / 2;

impl SobolevPeriodic {
    /// The kernel of this smoothness (1 to 12; None otherwise), with frequencies in cycles or angular.
    pub fn new(smoothness: u64, angular: bool) -> Option<Self> {
        let order = u32::try_from(smoothness.checked_mul(2)?).ok()?;
        let weight = if angular { TAU.powi(-(order as i32)) } else { 1.0 };
        Some(Self { series: Periodic::new(order)?, weight })
    }
}

impl Kernel for SobolevPeriodic {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        // The absolute value makes the kernel symmetric to the bit.
        1.0 + self.weight * self.series.at((x[0] - z[0]).abs())
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0 + self.weight * self.series.at(0.0)
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        match points.cols() {
            1 => self.series.row(points.data(), x[0], 1.0, self.weight, out),
            // Never called, because `accepts` allows one column only.
            _ => out.iter_mut().zip(points.iter()).for_each(|(value, point)| *value = self.evaluate(point, x)),
        }
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        on_circle("sobolev-periodic", dim)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(self.diagonal(&[]))
    }
}

parameters! {
    /// Parameters of [`SobolevPeriodic`].
    pub struct SobolevPeriodicParams {
        /// order s of the Sobolev space: the number of square-integrable derivatives
        smoothness: u64 = Kind::integer(1, LARGEST_SMOOTHNESS) => Fallback::Integer(1);
        /// whether eigenvalues are powers of the frequency in cycles, j^-2s, or in radians, (2 pi j)^-2s
        frequency: &'static str = Kind::Choice(&["cycles", "angular"]) => Fallback::Word("cycles");
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "sobolev-periodic",
    summary: "1 + sum_j 2 mu_j cos(2 pi j (x - z)), mu_j = j^(-2 smoothness); one input of period 1 (Wahba 1990)",
    module: module_path!(),
    params: SobolevPeriodicParams::SPECS,
    build: |params| {
        let SobolevPeriodicParams { smoothness, frequency } = Parameters::read(params);
        let kernel = SobolevPeriodic::new(smoothness, frequency == "angular");
        let why = || ParamError::refused("smoothness", format!("must be between 1 and {LARGEST_SMOOTHNESS}"));
        Ok(Arc::new(kernel.ok_or_else(why)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonal_is_one_plus_twice_zeta() {
        // 2 zeta(2), 2 zeta(4), 2 zeta(6).
        for (smoothness, expected) in [(1, 4.289868133696452), (2, 3.164646467422276), (3, 3.034686123968898)] {
            let kernel = SobolevPeriodic::new(smoothness, false).unwrap();
            assert!((kernel.diagonal(&[0.3]) - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn has_period_one() {
        let kernel = SobolevPeriodic::new(2, true).unwrap();
        assert!((kernel.evaluate(&[0.3], &[0.9]) - kernel.evaluate(&[5.3], &[-2.1])).abs() < 1e-15);
    }
}
