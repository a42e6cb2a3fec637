//! Effective dimension: how many directions of a kernel's space a sample fills.

use crate::comparator::api::{ComparatorError, gram};
use crate::kernel::api::Kernel;
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::matrix::Rows;

/// The eigenvalues of a Gram matrix K.
///
/// ```
/// use noregret_core::{comparator::effective_dimension::Spectrum, kernel::gaussian::Gaussian, prelude::*};
///
/// let points = Matrix::from_data(20, 1, (0..20).map(|t| f64::from(t) / 20.0).collect()).unwrap();
/// let spectrum = Spectrum::of(&Gaussian::new(1.0), points.view()).unwrap();
/// assert!((spectrum.values().iter().sum::<f64>() - 20.0).abs() < 1e-9); // the trace of K
/// // A smooth kernel on one interval fills few of 20 directions.
/// assert!(spectrum.effective_dimension(0.1) < 4.0);
/// assert!(spectrum.effective_dimension(1.0) < spectrum.effective_dimension(0.1));
/// ```
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Descending. Rounding errors below zero are set to zero.
    values: Vec<f64>,
}

impl Spectrum {
    /// The spectrum of the Gram matrix of `points`. It takes n^2 numbers and O(n^3) operations.
    ///
    /// # Errors
    /// When a kernel value is not finite.
    pub fn of(kernel: &dyn Kernel, points: Rows<'_>) -> Result<Self, ComparatorError> {
        let n = points.rows();
        let eigen = eigen::symmetric(&gram(kernel, points), n, false).map_err(|_| ComparatorError::NotFinite(n))?;
        Ok(Self { values: eigen.values.iter().rev().map(|value| value.max(0.0)).collect() })
    }

    /// The eigenvalues, descending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// d_eff(lambda) = trace K (K + lambda I)^-1, for `lambda` > 0.
    pub fn effective_dimension(&self, lambda: f64) -> f64 {
        self.values.iter().map(|value| value / (value + lambda)).sum()
    }

    /// log det(I + K / lambda), for `lambda` > 0.
    pub fn log_det(&self, lambda: f64) -> f64 {
        self.values.iter().map(|value| (value / lambda).ln_1p()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;

    #[test]
    fn duplicates_fill_one_direction() {
        // Five copies of one point: eigenvalues 5, 0, 0, 0, 0.
        let spectrum = Spectrum::of(&Gaussian::new(1.0), Rows::new(1, &[0.3; 5])).unwrap();
        assert!((spectrum.effective_dimension(0.5) - 5.0 / 5.5).abs() < 1e-14);
        assert!((spectrum.log_det(0.5) - 11.0f64.ln()).abs() < 1e-13);
    }
}
