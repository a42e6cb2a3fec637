//! The Taylor features of the Gaussian kernel as a space.

use crate::feature::taylor::Taylor;
use crate::learner::api::{Cost, Setting};
use crate::learner::parameters;
use crate::learner::ridge::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::ridge::forgetting::Discount;
use crate::learner::ridge::regression::Space;
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

impl Space for TaylorSpace {
    type Params = TaylorParams;
    type Learner = FixedFeatures;

    fn learner(forecast: Forecast, params: TaylorParams, setting: &Setting) -> Result<FixedFeatures, ParamError> {
        let map = make_map(params.bandwidth, params.order, setting)?;
        Ok(FixedFeatures::new(forecast, Box::new(map), params.lambda))
    }

    fn cost(params: &TaylorParams, rounds: u64, dim: usize) -> Cost {
        FixedFeatures::cost(rounds, features(params.order, dim), Discount::NONE)
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
