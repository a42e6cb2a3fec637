//! The Laplace (exponential, Ornstein-Uhlenbeck) kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::linalg::elementary::exp_scaled;
use crate::linalg::matrix::Rows;
use crate::params::{Fallback, Kind, Range, Spec};

/// k(x, z) = exp(-|x - z| / bandwidth), with the Euclidean norm.
#[derive(Clone, Copy, Debug)]
pub struct Laplace {
    /// 1 / bandwidth.
    rate: f64,
}

impl Laplace {
    /// The kernel of this `bandwidth` > 0.
    pub fn new(bandwidth: f64) -> Self {
        // Kept finite and positive, so that no extreme bandwidth meets an extreme distance in an undefined product.
        Self { rate: bandwidth.recip().clamp(f64::MIN_POSITIVE, f64::MAX) }
    }

    /// From squared distances to kernel values, in place.
    fn finish(&self, values: &mut [f64]) {
        values.iter_mut().for_each(|value| *value = value.sqrt());
        exp_scaled(values, -self.rate);
    }
}

impl Kernel for Laplace {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let mut value = [distance::squared_distance(x, z).sqrt()];
        exp_scaled(&mut value, -self.rate);
        value[0]
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        self.finish(out);
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        self.finish(out);
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
