//! The exponential kernel of the inner product.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::linear::inner_products;
use crate::kernel::tensors::{TensorFeatures, exponential_term};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::dot;

/// k(x, z) = exp(<x, z>).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExponentialKernel;

/// Larger inner products are replaced by this one, so that finite inputs have finite kernel values.
const LARGEST: f64 = 700.0;

fn of(inner_product: f64) -> f64 {
    inner_product.min(LARGEST).exp()
}

impl Kernel for ExponentialKernel {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        of(dot(x, z))
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        inner_products(left, right, out);
        out.iter_mut().for_each(|value| *value = of(*value));
    }

    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        Some(self)
    }
}

impl TensorFeatures for ExponentialKernel {
    /// 1 / n!
    fn beta(&self, n: u32) -> f64 {
        exponential_term(1.0, n)
    }

    fn series(&self, z: f64) -> f64 {
        z.exp()
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "exponential",
    summary: "exp(<x, z>)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(ExponentialKernel)),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_by_hand() {
        assert!((ExponentialKernel.evaluate(&[1.0, 2.0], &[3.0, -1.0]) - 1f64.exp()).abs() < 1e-15);
        let series: f64 = (0..30).map(|n| ExponentialKernel.beta(n) * 0.7f64.powi(n as i32)).sum();
        assert!((series - ExponentialKernel.series(0.7)).abs() < 1e-15);
    }
}
