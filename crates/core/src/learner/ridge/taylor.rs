//! Parameters and construction of the two forecasters over Taylor features.

use crate::feature::taylor::Taylor;
use crate::learner::api::{AnyLearner, Cost, Setting};
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::ridge::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::ridge::forgetting::Discount;
use crate::learner::ridge::sequential::Forecast;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, ParamError, Params, Spec};

/// lambda, bandwidth, order.
pub const PARAMS: &[Spec] = &[LAMBDA, BANDWIDTH, ORDER];

shared! {
    /// largest degree M of the Taylor features; there are C(M + d, d) of them
    ORDER = "order": Kind::integer(0, 100) => Fallback::Integer(2);
}

/// The map of these parameters.
///
/// # Errors
/// If there are too many features for the memory; the message says how many.
pub fn map(params: &Params, setting: &Setting) -> Result<Taylor, ParamError> {
    make_map(params.real(BANDWIDTH.name), params.integer(ORDER.name), setting)
}

/// The map of these parameters.
///
/// # Errors
/// As [`map`].
pub(crate) fn make_map(bandwidth: f64, order: u64, setting: &Setting) -> Result<Taylor, ParamError> {
    let (order, dim) = (order as usize, setting.dim);
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
    Taylor::new(dim, order, bandwidth).ok_or_else(|| refused(count.to_string()))
}

/// Builds the forecaster.
///
/// # Errors
/// As [`map`].
pub(crate) fn build(forecast: Forecast, params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let map = Box::new(map(params, setting)?);
    Ok(AnyLearner::Full(Box::new(FixedFeatures::new(forecast, map, params.real(LAMBDA.name)))))
}

/// The number of features.
pub(crate) fn count(params: &Params, dim: usize) -> u64 {
    features(params.integer(ORDER.name), dim)
}

/// The number of features.
pub(crate) fn features(order: u64, dim: usize) -> u64 {
    Taylor::count(dim, order as usize).unwrap_or(u64::MAX)
}

/// The cost of a run.
pub(crate) fn cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    FixedFeatures::cost(rounds, count(params, dim), Discount::NONE)
}
