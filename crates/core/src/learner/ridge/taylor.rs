//! The Taylor features of the Gaussian kernel as a space.

use crate::feature::api::FeatureMap;
use crate::feature::taylor::Taylor;
use crate::learner::api::{Cost, Setting};
use crate::learner::parameters;
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::ridge::regression::{FeatureSpace, FunctionSpace};
use crate::learner::ridge::sequential::Forecast;
use crate::params::typed::{parameters, shared};
use crate::params::{Fallback, Kind, ParamError};

shared! {
    /// largest degree M of the Taylor features; there are C(M + d, d) of them
    ORDER = "order": Kind::integer(0, 100) => Fallback::Integer(2);
}

parameters! {
    /// Parameters of regression over the Taylor features of the Gaussian kernel.
    pub struct TaylorParams {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = self::ORDER;
    }
}

/// The span of the Taylor features of the Gaussian kernel.
#[derive(Clone, Copy, Debug)]
pub struct TaylorSpace;

impl FunctionSpace for TaylorSpace {
    type Params = TaylorParams;
    type Learner = FixedFeatures;

    fn learner(forecast: Forecast, params: TaylorParams, setting: &Setting) -> Result<FixedFeatures, ParamError> {
        let (map, lambda) = Self::map(&params, setting)?;
        Ok(FixedFeatures::new(forecast, map, lambda))
    }

    fn cost(params: &TaylorParams, rounds: u64, dim: usize) -> Cost {
        Self::cost_of(params, Discount::NONE, rounds, dim)
    }
}

impl FeatureSpace for TaylorSpace {
    fn map(params: &TaylorParams, setting: &Setting) -> Result<(Box<dyn FeatureMap>, f64), ParamError> {
        Ok((Box::new(make_map(params.bandwidth, params.order, setting)?), params.lambda))
    }

    fn cost_of(params: &TaylorParams, discount: Discount, rounds: u64, dim: usize) -> Cost {
        FixedFeatures::cost(rounds, features(params.order, dim), discount)
    }
}

/// The map of degree `order`.
///
/// # Errors
/// If there are too many features for the memory; the message says how many.
pub fn make_map(bandwidth: f64, order: u64, setting: &Setting) -> Result<Taylor, ParamError> {
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

/// The number of features.
pub(crate) fn features(order: u64, dim: usize) -> u64 {
    Taylor::count(dim, order as usize).unwrap_or(u64::MAX)
}
