//! Covariance matrices in the three forms that configuration allows, and their principal axes.

use crate::linalg::eigen::{self, NoEigen};
use crate::linalg::matrix::Matrix;
use crate::linalg::vector::dot;

/// A symmetric positive-semidefinite matrix, in units of variance.
#[derive(Clone, Debug, PartialEq)]
pub struct Covariance {
    shape: CovarianceForm,
}

#[derive(Clone, Debug, PartialEq)]
enum CovarianceForm {
    Isotropic(f64),
    Diagonal(Vec<f64>),
    Full { matrix: Matrix, axes: Axes },
}

/// Sigma = V diag(variances) V': coordinates in which the entries of a noise vector are uncorrelated.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// The eigenvalues.
    pub variances: Vec<f64>,
    /// V', one eigenvector per row; `None` if the coordinates are the given ones.
    pub rotation: Option<Matrix>,
}

impl Axes {
    /// Writes V' x; `out` is as long as `x`.
    pub fn rotate(&self, x: &[f64], out: &mut [f64]) {
        match &self.rotation {
            None => out.copy_from_slice(x),
            Some(rotation) => {
                for (value, axis) in out.iter_mut().zip(rotation.view().iter()) {
                    *value = dot(axis, x);
                }
            }
        }
    }

    /// The largest eigenvalue.
    pub fn largest(&self) -> f64 {
        self.variances.iter().copied().fold(0.0, f64::max)
    }
}

/// Why numbers are no covariance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CovarianceError {
    /// A variance is negative or not finite.
    #[error("{0} is not a variance")]
    Variance(f64),
    /// There are no variances.
    #[error("a list of variances may not be empty")]
    Empty,
    /// The matrix has another number of rows than of columns, or neither.
    #[error("a covariance matrix is square; this one has {rows} rows of {columns}")]
    NotSquare { rows: usize, columns: usize },
    /// The matrix differs from its transpose.
    #[error("a covariance matrix is symmetric")]
    NotSymmetric,
    /// An eigenvalue is below zero.
    #[error("a covariance matrix has no negative eigenvalue; this one has {0}")]
    Negative(f64),
    /// The eigenvalues could not be computed.
    #[error(transparent)]
    Eigen(#[from] NoEigen),
    /// The covariance is one of more or fewer columns than there are.
    #[error("it is a covariance of {own} columns, but there are {dim} input columns")]
    Dimension { own: usize, dim: usize },
}

/// How far a matrix may be from symmetric, and how far an eigenvalue below zero, relative to the largest entry.
const TOLERANCE: f64 = 1e-12;

impl Covariance {
    /// `variance` times the identity, in any dimension.
    ///
    /// # Errors
    /// A variance that is negative or not finite.
    pub fn isotropic(variance: f64) -> Result<Self, CovarianceError> {
        if variance.is_finite() && variance >= 0.0 {
            Ok(Self { shape: CovarianceForm::Isotropic(variance + 0.0) })
        } else {
            Err(CovarianceError::Variance(variance))
        }
    }

    /// Uncorrelated coordinates.
    ///
    /// # Errors
    /// An empty list, or variances that are negative or not finite.
    pub fn diagonal(variances: Vec<f64>) -> Result<Self, CovarianceError> {
        match variances.iter().find(|variance| !(variance.is_finite() && **variance >= 0.0)) {
            Some(wrong) => Err(CovarianceError::Variance(*wrong)),
            None if variances.is_empty() => Err(CovarianceError::Empty),
            None => Ok(Self { shape: CovarianceForm::Diagonal(variances) }),
        }
    }

    /// A whole matrix.
    ///
    /// # Errors
    /// A matrix that is empty, not square, not finite, not symmetric, or has a negative eigenvalue.
    pub fn full(matrix: Matrix) -> Result<Self, CovarianceError> {
        let n = matrix.rows();
        if n == 0 || matrix.cols() != n {
            return Err(CovarianceError::NotSquare { rows: n, columns: matrix.cols() });
        }
        let scale = matrix.data().iter().fold(0.0f64, |scale, entry| scale.max(entry.abs()));
        let symmetric =
            (0..n).all(|i| (0..i).all(|j| (matrix.row(i)[j] - matrix.row(j)[i]).abs() <= TOLERANCE * scale));
        if !symmetric {
            return Err(CovarianceError::NotSymmetric);
        }
        let eigen = eigen::symmetric(matrix.data(), n, true)?;
        if let Some(least) = eigen.values.first().filter(|value| **value < -TOLERANCE * scale) {
            return Err(CovarianceError::Negative(*least));
        }
        let variances = eigen.values.iter().map(|value| value.max(0.0)).collect();
        let axes = Axes { variances, rotation: Matrix::from_data(n, n, eigen.vectors) };
        Ok(Self { shape: CovarianceForm::Full { matrix, axes } })
    }

    /// Checks that it is a covariance of vectors with `dim` entries; the error says how many entries it is for.
    ///
    /// # Errors
    /// If it is not.
    pub fn fits(&self, dim: usize) -> Result<(), CovarianceError> {
        let own = match &self.shape {
            CovarianceForm::Isotropic(_) => dim,
            CovarianceForm::Diagonal(variances) => variances.len(),
            CovarianceForm::Full { matrix, .. } => matrix.rows(),
        };
        if own == dim { Ok(()) } else { Err(CovarianceError::Dimension { own, dim }) }
    }

    /// Its principal axes in `dim` dimensions, which must [fit](Covariance::fits) it.
    pub fn axes(&self, dim: usize) -> Axes {
        match &self.shape {
            CovarianceForm::Isotropic(variance) => Axes { variances: vec![*variance; dim], rotation: None },
            CovarianceForm::Diagonal(variances) => Axes { variances: variances.clone(), rotation: None },
            CovarianceForm::Full { axes, .. } => axes.clone(),
        }
    }

    /// The largest eigenvalue.
    pub fn largest(&self) -> f64 {
        match &self.shape {
            CovarianceForm::Isotropic(variance) => *variance,
            CovarianceForm::Diagonal(variances) => variances.iter().copied().fold(0.0, f64::max),
            CovarianceForm::Full { axes, .. } => axes.largest(),
        }
    }

    /// Writes Sigma w; `w` and `out` have as many entries as Sigma has columns.
    pub fn apply(&self, w: &[f64], out: &mut [f64]) {
        match &self.shape {
            CovarianceForm::Isotropic(variance) => out.iter_mut().zip(w).for_each(|(out, w)| *out = variance * w),
            CovarianceForm::Diagonal(variances) => {
                out.iter_mut().zip(variances).zip(w).for_each(|((out, variance), w)| *out = variance * w);
            }
            CovarianceForm::Full { matrix, .. } => {
                out.iter_mut().zip(matrix.view().iter()).for_each(|(out, row)| *out = dot(row, w));
            }
        }
    }

    /// The one variance of an isotropic covariance.
    pub fn as_number(&self) -> Option<f64> {
        match &self.shape {
            CovarianceForm::Isotropic(variance) => Some(*variance),
            _ => None,
        }
    }

    /// The variances of a diagonal covariance.
    pub fn as_diagonal(&self) -> Option<&[f64]> {
        match &self.shape {
            CovarianceForm::Diagonal(variances) => Some(variances),
            _ => None,
        }
    }

    /// The whole matrix, if it was given as one.
    pub fn as_matrix(&self) -> Option<&Matrix> {
        match &self.shape {
            CovarianceForm::Full { matrix, .. } => Some(matrix),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(entries: [f64; 4]) -> Matrix {
        Matrix::from_data(2, 2, entries.to_vec()).unwrap()
    }

    #[test]
    fn the_three_shapes_agree_where_they_can() {
        let shapes = [
            Covariance::isotropic(0.5).unwrap(),
            Covariance::diagonal(vec![0.5, 0.5]).unwrap(),
            Covariance::full(matrix([0.5, 0.0, 0.0, 0.5])).unwrap(),
        ];
        for covariance in shapes {
            let mut out = [f64::NAN; 2];
            covariance.apply(&[1.0, -2.0], &mut out);
            assert_eq!(out, [0.5, -1.0]);
            assert_eq!((covariance.largest(), covariance.fits(2)), (0.5, Ok(())));
            assert_eq!(covariance.axes(2).variances, [0.5, 0.5]);
        }
    }

    /// V diag(v) V' gives the matrix back.
    #[test]
    fn axes_of_a_full_matrix() {
        let covariance = Covariance::full(matrix([2.0, 1.0, 1.0, 2.0])).unwrap();
        let axes = covariance.axes(2);
        assert!((axes.variances[0] - 1.0).abs() < 1e-15 && (axes.variances[1] - 3.0).abs() < 1e-15);
        let (w, mut turned, mut applied) = ([0.3, -0.7], [0.0; 2], [0.0; 2]);
        axes.rotate(&w, &mut turned);
        covariance.apply(&w, &mut applied);
        let energy: f64 = turned.iter().zip(&axes.variances).map(|(z, v)| v * z * z).sum();
        assert!((energy - dot(&w, &applied)).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_covariance_is_refused() {
        assert!(Covariance::isotropic(-1.0).is_err() && Covariance::isotropic(f64::NAN).is_err());
        assert!(Covariance::diagonal(vec![]).is_err() && Covariance::diagonal(vec![1.0, -0.1]).is_err());
        assert!(Covariance::full(matrix([1.0, 2.0, 2.0, 1.0])).unwrap_err().to_string().contains("eigenvalue"));
        assert!(Covariance::full(matrix([1.0, 0.2, 0.1, 1.0])).unwrap_err().to_string().contains("symmetric"));
        assert!(Covariance::full(matrix([f64::INFINITY, 0.0, 0.0, 1.0])).is_err());
        let wide = Matrix::from_data(1, 2, vec![1.0, 0.0]).unwrap();
        assert!(Covariance::full(wide).unwrap_err().to_string().contains("square"));
        assert!(Covariance::diagonal(vec![1.0]).unwrap().fits(2).unwrap_err().to_string().contains("2 input columns"));
    }
}
