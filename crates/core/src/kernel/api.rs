//! The kernel trait.

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::kernel::mixture::MixtureMeasure;
use crate::kernel::tensors::TensorFeatures;
use crate::params::entry::{Build, Entry};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::add_scaled;

/// A positive-definite function k(x, z) on R^d, symmetric, finite for finite inputs.
///
/// The law suite ties [`row`](Kernel::row), [`gram`](Kernel::gram), [`combine`](Kernel::combine) and [`diagonal`](Kernel::diagonal) to
/// [`evaluate`](Kernel::evaluate).
///
/// ```
/// use noregret_core::prelude::*;
///
/// /// k(x, z) = (1 + <x, z>)^2.
/// #[derive(Debug)]
/// struct Quadratic;
/// impl Kernel for Quadratic {
///     fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
///         (1.0 + x.iter().zip(z).map(|(x, z)| x * z).sum::<f64>()).powi(2)
///     }
/// }
/// // Rows, Gram matrices and sums of kernel functions come with it.
/// let points = Matrix::from_data(2, 1, vec![1.0, 2.0]).unwrap();
/// let mut gram = [0.0; 4];
/// Quadratic.gram(points.view(), points.view(), &mut gram);
/// assert_eq!(gram, [4.0, 9.0, 9.0, 25.0]);
/// ```
pub trait Kernel: Send + Sync + std::fmt::Debug {
    /// k(x, z), for `x` and `z` of equal length.
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64;

    /// k(x, x).
    fn diagonal(&self, x: &[f64]) -> f64 {
        self.evaluate(x, x)
    }

    /// `out[i] = k(points.row(i), x)`; `out` has as many entries as there are points.
    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        for (value, point) in out.iter_mut().zip(points.iter()) {
            *value = self.evaluate(point, x);
        }
    }

    /// `out[i * right.rows() + j] = k(left.row(i), right.row(j))`, row-major.
    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        for (point, row) in left.iter().zip(out.chunks_mut(right.rows().max(1))) {
            self.row(right, point, row);
        }
    }

    /// `out[j] += sum_i coefficients[i] k(points.row(i), inputs.row(j))`; as many coefficients as points, and entries of
    /// `out` as inputs.
    fn combine(&self, points: Rows<'_>, coefficients: &[f64], inputs: Rows<'_>, out: &mut [f64]) {
        combine_by_gram(self, points, coefficients, inputs, out);
    }

    /// Whether the kernel accepts inputs of `dim` columns; the error says which inputs it accepts.
    fn accepts(&self, dim: usize) -> Result<(), String> {
        let _ = dim;
        Ok(())
    }

    /// The map phi with k(x, z) = <phi(x), phi(z)> on R^`dim`, if finitely many features suffice.
    fn features(&self, dim: usize) -> Option<Arc<dyn FeatureMap>> {
        let _ = dim;
        None
    }

    /// The kernel on inputs with `dim` columns as a mixture of Gaussian kernels, if it is one.
    fn mixture(&self, dim: usize) -> Option<MixtureMeasure<'_>> {
        let _ = dim;
        None
    }

    /// The kernel's feature space of tensor powers, if it has one.
    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        None
    }

    /// kappa^2 = sup k(x, x) over all x, if it is finite and known.
    fn largest_diagonal(&self) -> Option<f64> {
        None
    }
}

/// [`Kernel::combine`] through [`Kernel::gram`], with the kernel values of a few points and inputs at a time, which fit
/// into the fastest cache.
pub(crate) fn combine_by_gram<K: Kernel + ?Sized>(
    kernel: &K,
    points: Rows<'_>,
    coefficients: &[f64],
    inputs: Rows<'_>,
    out: &mut [f64],
) {
    const SIDE: usize = 48;
    let mut values = [0.0; SIDE * SIDE];
    for (part, out) in out.chunks_mut(SIDE).enumerate() {
        let inputs = inputs.slice(part * SIDE, part * SIDE + out.len());
        for (part, coefficients) in coefficients.chunks(SIDE).enumerate() {
            let points = points.slice(part * SIDE, part * SIDE + coefficients.len());
            let values = &mut values[..points.rows() * out.len()];
            kernel.gram(points, inputs, values);
            for (coefficient, row) in coefficients.iter().zip(values.chunks_exact(out.len())) {
                add_scaled(out, *coefficient, row);
            }
        }
    }
}

/// [`Kernel::accepts`] for the kernel `name` on the circle.
pub(crate) fn on_circle(name: &str, dim: usize) -> Result<(), String> {
    match dim {
        1 => Ok(()),
        _ => Err(format!("{name} takes one input column, a position on the circle; there are {dim}")),
    }
}

/// A registered kernel.
pub(crate) type KernelEntry = Entry<Build<dyn Kernel>>;
