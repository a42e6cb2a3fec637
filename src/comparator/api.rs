//! What the comparators share.

use crate::kernel::api::Kernel;
use crate::linalg::matrix::Rows;

/// Why a comparator cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparatorError {
    /// Kernel values or features overflowed, or a decomposition did not converge.
    #[error("the comparator of {0} rounds cannot be computed: kernel values or features are not finite")]
    NotFinite(usize),
}

/// The Gram matrix of `points`, row-major.
pub(super) fn gram(kernel: &dyn Kernel, points: Rows<'_>) -> Vec<f64> {
    let mut gram = vec![0.0; points.rows() * points.rows()];
    kernel.gram(points, points, &mut gram);
    gram
}
