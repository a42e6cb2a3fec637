//! smooth-path: the best path of functions in hindsight, with a penalty on its squared length, over the Taylor features of
//! the Gaussian kernel.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::comparator::paths::smoothest;
use crate::comparator::taylor::{self, TaylorSpan};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::matrix::Rows;

parameters! {
    /// Parameters of [`SmoothPath`].
    struct SmoothPathParams {
        /// variance of a step of the path; 0: it stays where it is
        q: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(0.01);
        lambda: f64 = taylor::LAMBDA;
        bandwidth: f64 = taylor::BANDWIDTH;
        order: u64 = taylor::ORDER;
    }
}

/// Registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "smooth-path",
    summary: "min over paths of sum (y_t - u_t' phi(x_t))^2 + lambda |u_0|^2 + sum |u_t - u_(t-1)|^2 / q, phi the Taylor features of the Gaussian kernel",
    module: module_path!(),
    params: SmoothPathParams::SPECS,
    build: |params| {
        let SmoothPathParams { q, lambda, bandwidth, order } = Parameters::read(params);
        Ok(Box::new(SmoothPath { space: TaylorSpan::new(bandwidth, order), lambda, q }))
    },
};

struct SmoothPath {
    space: TaylorSpan,
    lambda: f64,
    q: f64,
}

impl Comparator for SmoothPath {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let features = self.space.rows(inputs)?;
        Best::finite(smoothest(features.view(), targets, self.lambda, self.q, 1.0), targets.len())
    }

    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let (n, r) = (rounds as f64, self.space.size(dim));
        (3.5 * n * r * r, 8.0 * n * r)
    }
}
