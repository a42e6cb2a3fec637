//! best-segments: the best piecewise constant function in hindsight, over the Taylor features of the Gaussian kernel.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::comparator::paths::segments;
use crate::comparator::taylor::{self, TaylorSpan};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use noregret_numeric::linalg::matrix::Rows;

parameters! {
    /// Parameters of [`BestSegments`].
    struct BestSegmentsParams {
        /// k: how often the function may change
        switches: u64 = Kind::integer(0, 1_000_000) => Fallback::Integer(1);
        /// pieces start at multiples of so many rounds
        spacing: u64 = Kind::integer(1, u32::MAX as u64) => Fallback::Integer(100);
        lambda: f64 = taylor::LAMBDA;
        bandwidth: f64 = taylor::BANDWIDTH;
        order: u64 = taylor::ORDER;
    }
}

/// Registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "best-segments",
    summary: "min over partitions of the rounds into k + 1 pieces of the sum of min_u sum (y_t - u' phi(x_t))^2 + lambda |u|^2, phi the Taylor features of the Gaussian kernel",
    module: module_path!(),
    params: BestSegmentsParams::SPECS,
    build: |params| {
        let BestSegmentsParams { switches, spacing, lambda, bandwidth, order } = Parameters::read(params);
        let (switches, spacing) = (switches as usize, spacing as usize);
        Ok(Box::new(BestSegments { space: TaylorSpan::new(bandwidth, order), lambda, switches, spacing }))
    },
};

struct BestSegments {
    space: TaylorSpan,
    lambda: f64,
    switches: usize,
    spacing: usize,
}

impl Comparator for BestSegments {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let features = self.space.rows(inputs)?;
        let found = segments(features.view(), targets, self.lambda, self.switches, self.spacing);
        Best::finite(found.last().map_or(0.0, |best| best.0), targets.len())
    }

    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let (n, r, starts) = (rounds as f64, self.space.size(dim), (rounds as f64 / self.spacing as f64).ceil());
        (1.75 * n * starts * r * r, 8.0 * (n * r + starts * starts))
    }
}
