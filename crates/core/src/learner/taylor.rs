//! Parameters and construction of the two forecasters over Taylor features.

use crate::feature::taylor::Taylor;
use crate::learner::api::{AnyLearner, Cost, Setting};
use crate::learner::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::sequential::Forecast;
use crate::params::{ParamError, Params, Spec};

/// lambda, bandwidth, order.
pub const PARAMS: &[Spec] = &[
    LAMBDA,
    BANDWIDTH,
    Spec::integer("order", "largest degree M of the Taylor features; there are C(M + d, d) of them", [0, 100], 2),
];

/// Builds the forecaster.
///
/// # Errors
/// If there are too many features for the memory; the message says how many.
pub fn build(forecast: Forecast, params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let (order, dim) = (params.integer("order") as usize, setting.dim);
    let refused = |count: String| {
        let why = format!(
            "{order} with {dim} input columns gives {count} features, and a matrix of that order takes more than \
             4 GiB; at most {MOST_FEATURES} features are accepted"
        );
        ParamError::refused("order", why)
    };
    let count = Taylor::count(dim, order).ok_or_else(|| refused("more than 2^64".into()))?;
    if count > MOST_FEATURES {
        return Err(refused(count.to_string()));
    }
    let map = Taylor::new(dim, order, params.real(BANDWIDTH.name)).ok_or_else(|| refused(count.to_string()))?;
    Ok(AnyLearner::Full(Box::new(FixedFeatures::new(forecast, Box::new(map), params.real(LAMBDA.name)))))
}

/// The cost of a run.
pub fn cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    let count = Taylor::count(dim, params.integer("order") as usize).unwrap_or(u64::MAX);
    FixedFeatures::cost(rounds, count)
}
