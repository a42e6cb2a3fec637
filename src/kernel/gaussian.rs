//! The Gaussian kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry, combine_by_gram};
use crate::kernel::distance::{self, COORDINATES, SIDE};
use crate::kernel::mixture::Mixture;
use crate::kernel::tensors::{TensorFeatures, exponential_term};
use crate::linalg::elementary::{exp_decay, exp_scaled};
use crate::linalg::matrix::Rows;
use crate::linalg::simd::vectorised;
use crate::params::{Fallback, Kind, Range, Spec};

/// k(x, z) = exp(-|x - z|^2 / (2 bandwidth^2)).
#[derive(Clone, Copy, Debug)]
pub struct Gaussian {
    /// 1 / (2 bandwidth^2).
    rate: f64,
}

impl Gaussian {
    /// The kernel of this `bandwidth` > 0.
    pub fn new(bandwidth: f64) -> Self {
        // Kept finite and positive, so that no extreme bandwidth meets an extreme distance in an undefined product.
        Self { rate: (0.5 / bandwidth / bandwidth).clamp(f64::MIN_POSITIVE, f64::MAX) }
    }
}

impl Kernel for Gaussian {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let mut value = [distance::squared_distance(x, z)];
        exp_scaled(&mut value, -self.rate);
        value[0]
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        1.0
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        exp_scaled(out, -self.rate);
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        exp_scaled(out, -self.rate);
    }

    /// Distance, exponential and sum in one pass, without kernel values in memory.
    fn combine(&self, points: Rows<'_>, coefficients: &[f64], inputs: Rows<'_>, out: &mut [f64]) {
        let dim = points.cols();
        if dim > COORDINATES {
            return combine_by_gram(self, points, coefficients, inputs, out);
        }
        let mut turned = [[0.0; SIDE]; COORDINATES];
        let turned = &mut turned[..dim];
        for (part, out) in out.chunks_mut(SIDE).enumerate() {
            distance::turn(inputs.slice(part * SIDE, part * SIDE + out.len()), 0, turned);
            let mut sums = [0.0; SIDE];
            sums[..out.len()].copy_from_slice(out);
            combine_side(points.data(), coefficients, turned, -self.rate, &mut sums);
            out.copy_from_slice(&sums[..out.len()]);
        }
    }

    fn mixture(&self, _: usize) -> Option<Mixture<'_>> {
        Some(Mixture::Point(self.rate))
    }

    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        Some(self)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

vectorised! {
    /// Adds to each of `sums` what all `points` contribute at one of the inputs in `turned`.
    fn combine_side<'a>(
        points: &'a [f64],
        coefficients: &'a [f64],
        turned: &'a [[f64; SIDE]],
        factor: f64,
        sums: &'a mut [f64; SIDE],
    ) -> () {
        let mut totals = *sums;
        for (point, coefficient) in points.chunks_exact(turned.len().max(1)).zip(coefficients) {
            let mut distances = [0.0; SIDE];
            for (x, column) in point.iter().zip(turned) {
                for (sum, z) in distances.iter_mut().zip(column) {
                    *sum = (x - z).mul_add(x - z, *sum);
                }
            }
            for (total, distance) in totals.iter_mut().zip(&distances) {
                *total = coefficient.mul_add(exp_decay(factor * distance), *total);
            }
        }
        *sums = totals;
    }
}

/// exp(<x, z> / bandwidth^2) between the two factors exp(-|.|^2 / (2 bandwidth^2)).
impl TensorFeatures for Gaussian {
    fn beta(&self, n: u32) -> f64 {
        exponential_term(2.0 * self.rate, n)
    }

    fn series(&self, z: f64) -> f64 {
        (2.0 * self.rate * z).exp()
    }

    fn damping(&self) -> f64 {
        self.rate
    }
}

/// Registry entry.
pub static ENTRY: KernelEntry = KernelEntry {
    name: "gaussian",
    summary: "exp(-|x - z|^2 / (2 bandwidth^2))",
    file: file!(),
    params: &[Spec {
        name: "bandwidth",
        doc: "width of the kernel (sigma in Jezequel, Gaillard, Rudi 2019)",
        kind: Kind::Real { range: Range::POSITIVE, words: &[] },
        default: Fallback::Real(1.0),
    }],
    build: |params| Ok(Arc::new(Gaussian::new(params.real("bandwidth")))),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_convention_and_survives_extreme_bandwidths() {
        let unit = Gaussian::new(2.0).evaluate(&[0.0, 1.0], &[2.0, 1.0]);
        assert!((unit - (-0.5f64).exp()).abs() < 1e-16);
        for bandwidth in [1e-300, 1e300] {
            let kernel = Gaussian::new(bandwidth);
            assert_eq!(kernel.evaluate(&[3.0], &[3.0]), 1.0);
            assert!(kernel.evaluate(&[3.0], &[4.0]).is_finite());
            assert_eq!(kernel.evaluate(&[-1e300], &[1e300]), 0.0);
        }
    }
}
