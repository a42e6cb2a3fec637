//! The binomial kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::tensors::TensorFeatures;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::vector::dot;

/// k(x, z) = (1 - <x, z>)^-exponent on the unit ball, where its series converges. (Cesa-Bianchi, Shalev-Shwartz, Shamir
/// print (1 + <x, z>)^-a, which is not positive definite: beta_1 = -a.)
///
/// Inputs longer than [`REACH`] are shortened to this length, which keeps the kernel positive definite and finite
/// everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binomial {
    exponent: f64,
}

/// The length up to which inputs are left unchanged.
pub(crate) const REACH: f64 = 0.99;

impl Binomial {
    /// The kernel of this `exponent` > 0.
    pub(crate) fn new(exponent: f64) -> Self {
        Self { exponent }
    }
}

/// The factor that makes an input no longer than [`REACH`], computed without overflow.
fn shortening(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    let norm = largest * x.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
    (REACH / norm).min(1.0)
}

impl Kernel for Binomial {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let (a, b) = (shortening(x), shortening(z));
        let product = if a == 1.0 && b == 1.0 {
            dot(x, z)
        } else {
            let short = |x: &[f64], factor: f64| x.iter().map(|value| factor * value).collect::<Vec<_>>();
            dot(&short(x, a), &short(z, b))
        };
        (1.0 - product).powf(-self.exponent)
    }

    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        Some(self)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some((1.0 - REACH * REACH).powf(-self.exponent) * (1.0 + 1e-12))
    }
}

impl TensorFeatures for Binomial {
    /// a (a + 1) .. (a + n - 1) / n!
    fn beta(&self, n: u32) -> f64 {
        (1..=n).fold(1.0, |value, k| value * (self.exponent + f64::from(k - 1)) / f64::from(k))
    }

    fn series(&self, z: f64) -> f64 {
        if z < 1.0 { (1.0 - z).powf(-self.exponent) } else { f64::INFINITY }
    }

    fn shortening(&self, x: &[f64]) -> f64 {
        shortening(x)
    }
}

parameters! {
    /// Parameters of [`Binomial`].
    pub(crate) struct BinomialParams {
        /// a: the rate at which the kernel grows towards the unit sphere
        exponent: f64 = Kind::real(Range { max: 50.0, max_open: false, ..Range::POSITIVE }) => Fallback::Real(0.5);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "binomial",
    summary: "(1 - <x, z>)^-exponent for inputs of norm at most 0.99; longer inputs are shortened to this norm",
    module: module_path!(),
    params: BinomialParams::SPECS,
    build: |params| Ok(Arc::new(Binomial::new(BinomialParams::read(params).exponent))),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_inside_and_outside() {
        let kernel = Binomial::new(2.0);
        assert!((kernel.evaluate(&[0.5, 0.5], &[0.4, -0.2]) - 0.9f64.powi(-2)).abs() < 1e-15);
        assert!((kernel.evaluate(&[1e200], &[-7.0]) - (1.0 + REACH * REACH).powi(-2)).abs() < 1e-14);
        let series: f64 = (0..60).map(|n| kernel.beta(n) * 0.4f64.powi(n as i32)).sum();
        assert!((series - kernel.series(0.4)).abs() < 1e-13);
    }
}
