//! The arc-sine kernel: the infinite layer of erf neurons.

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};

/// With x~ = (1, x) and S = diag(bias_std^2, weight_std^2, ...),
///
/// ```text
/// k(x, z) = (2/pi) asin( 2 x~'S z~ / sqrt((1 + 2 x~'S x~) (1 + 2 z~'S z~)) ) = E erf(<w, x~>) erf(<w, z~>), w ~ N(0, S).
/// ```
///
/// Source: C. Williams, Computation with infinite neural networks, Neural Computation 10 (1998), eq. (11).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arcsine {
    bias_std: f64,
    weight_std: f64,
}

impl Arcsine {
    /// The kernel of these standard deviations, both > 0.
    pub(crate) fn new(bias_std: f64, weight_std: f64) -> Self {
        Self { bias_std, weight_std }
    }

    fn entry(&self, x: f64) -> f64 {
        (self.weight_std * x).clamp(f64::MIN, f64::MAX)
    }

    /// The largest entry of (1/sqrt 2, S^(1/2) x~), by which all entries are divided so that nothing overflows.
    fn unit(&self, x: &[f64]) -> f64 {
        x.iter().fold(self.bias_std.max(FRAC_1_SQRT_2), |largest, x| largest.max(self.entry(*x).abs()))
    }
}

impl Kernel for Arcsine {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        // 1 + 2 x~'S x~ is twice the squared length of (1/sqrt 2, S^(1/2) x~).
        let (x_unit, z_unit) = (self.unit(x), self.unit(z));
        let (x_bias, z_bias) = (self.bias_std / x_unit, self.bias_std / z_unit);
        let (x_one, z_one) = (FRAC_1_SQRT_2 / x_unit, FRAC_1_SQRT_2 / z_unit);
        let mut inner = x_bias * z_bias;
        let (mut x_square, mut z_square) = (x_one * x_one + x_bias * x_bias, z_one * z_one + z_bias * z_bias);
        for (x, z) in x.iter().zip(z) {
            let (x, z) = (self.entry(*x) / x_unit, self.entry(*z) / z_unit);
            inner += x * z;
            x_square += x * x;
            z_square += z * z;
        }
        (inner / (x_square * z_square).sqrt()).clamp(-1.0, 1.0).asin() * (2.0 / PI)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

parameters! {
    /// Parameters of [`Arcsine`].
    pub(crate) struct ArcsineParams {
        /// standard deviation of the neurons' biases
        bias_std: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        /// standard deviation of the neurons' weights
        weight_std: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "arcsine",
    summary: "(2/pi) asin(2 x'S z / sqrt((1 + 2 x'S x)(1 + 2 z'S z))) with x = (1, x): erf neurons (Williams 1998)",
    module: module_path!(),
    params: ArcsineParams::SPECS,
    build: |params| {
        let ArcsineParams { bias_std, weight_std } = Parameters::read(params);
        Ok(Arc::new(Arcsine::new(bias_std, weight_std)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand_and_at_extremes() {
        let kernel = Arcsine::new(0.5, 2.0);
        let (x, z) = ([0.3, -0.1], [0.2, 0.4]);
        let inner = |a: &[f64; 2], b: &[f64; 2]| 0.25 + 4.0 * (a[0] * b[0] + a[1] * b[1]);
        let expected = 2.0 * inner(&x, &z) / ((1.0 + 2.0 * inner(&x, &x)) * (1.0 + 2.0 * inner(&z, &z))).sqrt();
        assert!((kernel.evaluate(&x, &z) - expected.asin() * 2.0 / PI).abs() < 1e-15);
        assert!((kernel.evaluate(&[1e200], &[1e200]) - 1.0).abs() < 1e-7);
        assert!((kernel.evaluate(&[1e200], &[-1e308]) + 1.0).abs() < 1e-7);
        assert!(Arcsine::new(1e300, 1e300).evaluate(&[1e200], &[1.0]).is_finite());
    }
}
