//! The Taylor features of the Gaussian kernel, over which some comparators are.

use crate::comparator::api::ComparatorError;
use crate::feature::api::FeatureMap;
use crate::feature::taylor::Taylor;
use crate::params::{Params, Range, Spec};
use noregret_numeric::linalg::matrix::{Matrix, Rows};

/// The parameter `bandwidth`.
pub(super) const BANDWIDTH: Spec = Spec::real("bandwidth", "width of the Gaussian kernel", Range::POSITIVE, 1.0);

/// The parameter `lambda`.
pub(super) const LAMBDA: Spec = Spec::real("lambda", "regularisation", Range::POSITIVE, 1.0);

/// The parameter `order`.
pub(super) const ORDER: Spec = Spec::integer("order", "largest degree M of the Taylor features", [0, 100], 2);

/// With more features than this there is no comparator: its matrices would not fit into memory.
const MOST: u64 = 10_000;

/// The functions u' phi(x) of the Taylor features phi.
pub(super) struct Space {
    bandwidth: f64,
    order: usize,
}

impl Space {
    /// That of the parameters [`BANDWIDTH`] and [`ORDER`].
    pub(super) fn new(params: &Params) -> Self {
        Self { bandwidth: params.real(BANDWIDTH.name), order: params.integer(ORDER.name) as usize }
    }

    /// r, for this many inputs; infinite beyond 2^64.
    pub(super) fn size(&self, dim: usize) -> f64 {
        Taylor::count(dim, self.order).map_or(f64::INFINITY, |count| count as f64)
    }

    /// phi(x_t), one row per round.
    ///
    /// # Errors
    /// If there are too many features.
    pub(super) fn rows(&self, inputs: Rows<'_>) -> Result<Matrix, ComparatorError> {
        let few = Taylor::count(inputs.cols(), self.order).is_some_and(|count| count <= MOST);
        let map = few.then(|| Taylor::new(inputs.cols(), self.order, self.bandwidth)).flatten();
        let map = map.ok_or(ComparatorError::TooManyFeatures(MOST))?;
        let mut features = Matrix::zeros(inputs.rows(), map.features());
        map.write_rows(inputs, features.data_mut());
        Ok(features)
    }
}
