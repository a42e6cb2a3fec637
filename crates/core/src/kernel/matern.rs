//! Matern kernels of half-integer smoothness.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::matrix::Rows;

/// k(x, z) = p(s) exp(-s) with s = sqrt(2 nu) |x - z| / bandwidth and p = 1, 1 + s, 1 + s + s^2 / 3 for the smoothness
/// nu = 1/2, 3/2, 5/2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matern {
    smoothness: Smoothness,
    bandwidth: f64,
}

/// nu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Smoothness {
    /// 1/2: the Laplace kernel.
    Half,
    /// 3/2: once differentiable.
    ThreeHalves,
    /// 5/2: twice differentiable.
    FiveHalves,
}

impl Matern {
    /// The kernel of this smoothness and `bandwidth` > 0.
    pub(crate) fn new(smoothness: Smoothness, bandwidth: f64) -> Self {
        Self { smoothness, bandwidth }
    }

    #[inline]
    fn of(&self, squared_distance: f64) -> f64 {
        let nu = match self.smoothness {
            Smoothness::Half => 0.5f64,
            Smoothness::ThreeHalves => 1.5,
            Smoothness::FiveHalves => 2.5,
        };
        let s = (2.0 * nu).sqrt() * squared_distance.sqrt() / self.bandwidth;
        // The exponential is 0 here, but the polynomial may be infinite.
        if s > 1e3 {
            return 0.0;
        }
        let polynomial = match self.smoothness {
            Smoothness::Half => 1.0,
            Smoothness::ThreeHalves => 1.0 + s,
            Smoothness::FiveHalves => 1.0 + s + s * s / 3.0,
        };
        polynomial * (-s).exp()
    }
}

impl Kernel for Matern {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.of(distance::squared_distance(x, z))
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        out.iter_mut().for_each(|value| *value = self.of(*value));
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        out.iter_mut().for_each(|value| *value = self.of(*value));
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

parameters! {
    /// Parameters of [`Matern`].
    pub(crate) struct MaternParams {
        /// the smoothness nu
        smoothness: &'static str = Kind::Choice(&["1/2", "3/2", "5/2"]) => Fallback::Word("3/2");
        /// length over which the kernel falls
        bandwidth: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "matern",
    summary: "p(s) exp(-s), s = sqrt(2 nu) |x - z| / bandwidth: Matern of smoothness nu",
    module: module_path!(),
    params: MaternParams::SPECS,
    build: |params| {
        let MaternParams { smoothness, bandwidth } = Parameters::read(params);
        let smoothness = match smoothness {
            "1/2" => Smoothness::Half,
            "3/2" => Smoothness::ThreeHalves,
            _ => Smoothness::FiveHalves,
        };
        Ok(Arc::new(Matern::new(smoothness, bandwidth)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_hand() {
        let at = |smoothness| Matern::new(smoothness, 2.0).evaluate(&[0.0], &[2.0]);
        assert!((at(Smoothness::Half) - (-1f64).exp()).abs() < 1e-16);
        let s = 3f64.sqrt();
        assert!((at(Smoothness::ThreeHalves) - (1.0 + s) * (-s).exp()).abs() < 1e-16);
        let s = 5f64.sqrt();
        assert!((at(Smoothness::FiveHalves) - (1.0 + s + 5.0 / 3.0) * (-s).exp()).abs() < 1e-16);
        assert_eq!(Matern::new(Smoothness::FiveHalves, 1e-200).evaluate(&[0.0], &[1e200]), 0.0);
    }
}
