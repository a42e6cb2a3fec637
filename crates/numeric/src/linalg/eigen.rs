//! Eigenvalues of symmetric matrices.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Auto, MatMut, MatRef, Par};

/// Eigenvalues and, if asked for, eigenvectors of a symmetric matrix.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// The eigenvalues, ascending.
    pub values: Vec<f64>,
    /// `vectors[k * n + i]` is entry i of the k-th eigenvector; empty if eigenvectors were not asked for.
    pub vectors: Vec<f64>,
}

/// Why a decomposition failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the eigenvalues of the matrix could not be computed: it is not finite, or the iteration did not converge")]
pub struct NoEigen;

/// Decomposes the symmetric `n` x `n` matrix `a`; only its lower triangle is read.
///
/// ```
/// use noregret_numeric::linalg::eigen::symmetric;
///
/// let eigen = symmetric(&[2.0, 1.0, 1.0, 2.0], 2, false)?;
/// assert!((eigen.values[0] - 1.0).abs() < 1e-12 && (eigen.values[1] - 3.0).abs() < 1e-12);
/// # Ok::<(), noregret_numeric::linalg::eigen::NoEigen>(())
/// ```
pub fn symmetric(a: &[f64], n: usize, with_vectors: bool) -> Result<Eigen, NoEigen> {
    if a[..n * n].iter().any(|entry| !entry.is_finite()) {
        return Err(NoEigen);
    }
    let mut values = vec![0.0; n];
    let mut vectors = vec![0.0; if with_vectors { n * n } else { 0 }];
    let wanted = if with_vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let params = <SelfAdjointEvdParams as Auto<f64>>::auto().into();
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, params));
    self_adjoint_evd(
        MatRef::from_row_major_slice(&a[..n * n], n, n),
        DiagMut::from_slice_mut(&mut values),
        // Column-major, so that an eigenvector is contiguous.
        with_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors, n, n)),
        Par::Seq,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| NoEigen)?;
    if values.iter().any(|value| !value.is_finite()) {
        return Err(NoEigen);
    }
    Ok(Eigen { values, vectors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_matrix() {
        let a = [2.0, 1.0, 1.0, 2.0];
        let eigen = symmetric(&a, 2, true).unwrap();
        assert!((eigen.values[0] - 1.0).abs() < 1e-15 && (eigen.values[1] - 3.0).abs() < 1e-15);
        let v = &eigen.vectors[2..];
        assert!((v[0] - v[1]).abs() < 1e-15 && (v[0].abs() - 0.5f64.sqrt()).abs() < 1e-15);
        assert_eq!(symmetric(&a, 2, false).unwrap().values, eigen.values);
    }

    #[test]
    fn sizes_zero_and_one_and_bad_entries() {
        assert!(symmetric(&[], 0, true).unwrap().values.is_empty());
        assert_eq!(symmetric(&[7.0], 1, true).unwrap().values, [7.0]);
        assert_eq!(symmetric(&[f64::NAN], 1, true).unwrap_err(), NoEigen);
    }
}
