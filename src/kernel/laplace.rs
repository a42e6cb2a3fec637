//! The Laplace (exponential, Ornstein-Uhlenbeck) kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::linalg::matrix::Rows;
use crate::params::{Fallback, Kind, Range, Spec};

/// k(x, z) = exp(-|x - z| / bandwidth), with the Euclidean norm.
#[derive(Clone, Copy, Debug)]
pub struct Laplace {
    bandwidth: f64,
}

impl Laplace {
    /// The kernel of this `bandwidth` > 0.
    pub fn new(bandwidth: f64) -> Self {
        Self { bandwidth }
    }

    #[inline]
    fn of(&self, squared_distance: f64) -> f64 {
        (-squared_distance.sqrt() / self.bandwidth).exp()
    }
}

impl Kernel for Laplace {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.of(distance::squared_distance(x, z))
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out, |d| self.of(d));
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out, |d| self.of(d));
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

/// Registry entry.
pub static ENTRY: KernelEntry = KernelEntry {
    name: "laplace",
    summary: "exp(-|x - z| / bandwidth)",
    file: file!(),
    params: &[Spec {
        name: "bandwidth",
        doc: "length over which the kernel falls by a factor e",
        kind: Kind::Real { range: Range::POSITIVE, words: &[] },
        default: Fallback::Real(1.0),
    }],
    build: |params| Ok(Arc::new(Laplace::new(params.real("bandwidth")))),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_by_hand() {
        // |x - z| = 5.
        let value = Laplace::new(2.5).evaluate(&[0.0, 3.0], &[4.0, 0.0]);
        assert!((value - (-2.0f64).exp()).abs() < 1e-16);
    }
}
