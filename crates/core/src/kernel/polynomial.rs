//! The polynomial kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::linear::inner_products;
use crate::kernel::tensors::TensorFeatures;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::dot;

/// k(x, z) = (offset + <x, z>)^degree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polynomial {
    degree: i32,
    offset: f64,
}

/// The largest degree; above it, values overflow for inputs of norm 2.
const LARGEST_DEGREE: u64 = 256;

impl Polynomial {
    /// The kernel of this `degree` >= 1 and `offset` >= 0.
    pub(crate) fn new(degree: i32, offset: f64) -> Self {
        Self { degree, offset }
    }

    #[inline]
    fn of(&self, inner_product: f64) -> f64 {
        (self.offset + inner_product).powi(self.degree)
    }
}

impl Kernel for Polynomial {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.of(dot(x, z))
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        inner_products(left, right, out);
        for value in out {
            *value = self.of(*value);
        }
    }

    fn tensors(&self) -> Option<&dyn TensorFeatures> {
        Some(self)
    }
}

impl TensorFeatures for Polynomial {
    /// Binomial(degree, n) offset^(degree - n).
    fn beta(&self, n: u32) -> f64 {
        let degree = self.degree as u32;
        if n > degree {
            return 0.0;
        }
        let binomial = (1..=n).fold(1.0, |value, k| value * f64::from(degree - n + k) / f64::from(k));
        binomial * self.offset.powi((degree - n) as i32)
    }

    fn series(&self, z: f64) -> f64 {
        self.of(z)
    }
}

parameters! {
    /// Parameters of [`Polynomial`].
    pub(crate) struct PolynomialParams {
        /// degree of the polynomials
        degree: u64 = Kind::integer(1, LARGEST_DEGREE) => Fallback::Integer(2);
        /// weight of the lower degrees; 0 gives homogeneous polynomials
        offset: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(1.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "polynomial",
    summary: "(offset + <x, z>)^degree",
    module: module_path!(),
    params: PolynomialParams::SPECS,
    build: |params| {
        let PolynomialParams { degree, offset } = Parameters::read(params);
        Ok(Arc::new(Polynomial::new(degree as i32, offset)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_by_hand() {
        assert_eq!(Polynomial::new(3, 2.0).evaluate(&[1.0, 2.0], &[3.0, -1.0]), 27.0);
        assert_eq!(Polynomial::new(2, 0.0).evaluate(&[2.0], &[-3.0]), 36.0);
    }
}
