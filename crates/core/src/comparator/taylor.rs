//! The Taylor features of the Gaussian kernel, over which some comparators are.

use crate::comparator::api::ComparatorError;
use crate::feature::api::FeatureMap;
use crate::feature::taylor::Taylor;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::matrix::{Matrix, Rows};

shared! {
    /// width of the Gaussian kernel
    BANDWIDTH = "bandwidth": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// regularisation
    LAMBDA = "lambda": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// largest degree M of the Taylor features
    ORDER = "order": Kind::integer(0, 100) => Fallback::Integer(2);
}

/// With more features than this there is no comparator: its matrices would not fit into memory.
const MOST: u64 = 10_000;

/// The functions u' phi(x) of the Taylor features phi.
pub(super) struct TaylorSpan {
    bandwidth: f64,
    order: usize,
}

impl TaylorSpan {
    /// That of the parameters [`BANDWIDTH`] and [`ORDER`].
    pub(super) fn new(bandwidth: f64, order: u64) -> Self {
        Self { bandwidth, order: order as usize }
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
