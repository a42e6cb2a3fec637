//! Parameters and construction of the forecasters over random Fourier features.

use crate::draw::Role;
use crate::feature::fourier::Fourier;
use crate::learner::api::{AnyLearner, Cost, Setting};
use crate::learner::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::forgetting::Discount;
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::sequential::Forecast;
use crate::params::{Fallback, Kind, ParamError, Params, Spec};

/// The number D of frequencies.
pub const FEATURES: Spec = Spec::integer(
    "features",
    "number D of random frequencies; each gives a sine and a cosine",
    [1, MOST_FEATURES / 2],
    100,
);

/// How frequencies are drawn.
pub const KIND: Spec = Spec {
    name: "kind",
    doc: "iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths",
    kind: Kind::Choice(&["iid", "orthogonal"]),
    default: Fallback::Word("iid"),
};

/// lambda, bandwidth, features, kind.
pub const PARAMS: &[Spec] = &[LAMBDA, BANDWIDTH, FEATURES, KIND];

/// The map of these parameters, drawn from the learner's own draws.
pub fn map(params: &Params, setting: &Setting) -> Fourier {
    let (count, bandwidth) = (params.integer(FEATURES.name) as usize, params.real(BANDWIDTH.name));
    let draw = &mut setting.draws.at(Role::Start, 0);
    match params.word(KIND.name) {
        "orthogonal" => Fourier::orthogonal(setting.dim, count, bandwidth, draw),
        _ => Fourier::sample(setting.dim, count, bandwidth, draw),
    }
}

/// Builds the forecaster.
///
/// # Errors
/// None; the limit of `features` keeps its matrices below 4 GiB each.
pub fn build(forecast: Forecast, params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let map = Box::new(map(params, setting));
    Ok(AnyLearner::Full(Box::new(FixedFeatures::new(forecast, map, params.real(LAMBDA.name)))))
}

/// The operations that the features of a run take: D d for the phases, and a sine and a cosine of each.
pub fn feature_cost(params: &Params, rounds: u64, dim: usize) -> f64 {
    rounds as f64 * params.integer(FEATURES.name) as f64 * (2 * dim + 40) as f64
}

/// The cost of a run.
pub fn cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    let cost = FixedFeatures::cost(rounds, 2 * params.integer(FEATURES.name), Discount::NONE);
    Cost { flops: cost.flops + feature_cost(params, rounds, dim), ..cost }
}
