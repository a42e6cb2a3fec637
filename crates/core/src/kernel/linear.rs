//! The linear kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::tensors::TensorFeatures;
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::dot;

/// k(x, z) = <x, z>.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

impl Kernel for Linear {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        dot(x, z)
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        inner_products(left, right, out);
    }

    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        Some(self)
    }
}

impl TensorFeatures for Linear {
    fn beta(&self, n: u32) -> f64 {
        if n == 1 { 1.0 } else { 0.0 }
    }

    fn series(&self, z: f64) -> f64 {
        z
    }
}

/// `out[i * right.rows() + j] = <left.row(i), right.row(j)>`, as one matrix product.
pub(crate) fn inner_products(left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
    let (rows, cols, dim) = (left.rows(), right.rows(), left.cols());
    let transposed = dense::view(right.data(), cols, dim, dim).transpose();
    dense::product(dense::view_mut(out, rows, cols, cols), dense::view(left.data(), rows, dim, dim), transposed);
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "linear",
    summary: "<x, z>",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Linear)),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gram_block_by_hand() {
        let left = Rows::new(2, &[1.0, 2.0, 0.0, -1.0]);
        let right = Rows::new(2, &[3.0, 1.0, 1.0, 1.0, 0.0, 2.0]);
        let mut out = [f64::NAN; 6];
        Linear.gram(left, right, &mut out);
        assert_eq!(out, [5.0, 3.0, 4.0, -1.0, -1.0, -2.0]);
    }
}
