//! Parameters and construction of the forecasters with a discount, over Taylor and over Fourier features.

use crate::learner::api::{AnyLearner, Cost, Setting};
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::ridge::fixed_features::FixedFeatures;
use crate::learner::ridge::forgetting::{Discount, refresh};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::ridge::{fourier, taylor};
use crate::params::{Fallback, Kind, ParamError, Params, Range, Spec};

/// The discount of checked parameters.
pub fn discount(params: &Params) -> Discount {
    let gamma = match params.real_or_word(GAMMA.name) {
        Ok(gamma) => gamma,
        Err(_) => Discount::of_memory(params.real_or_word(MEMORY.name).unwrap_or(f64::INFINITY)).gamma,
    };
    let refresh = match params.real_or_word(REFRESH.name) {
        _ if gamma == 1.0 => 0,
        Ok(rounds) => rounds as u64,
        Err("never") => 0,
        Err(_) => refresh(gamma / (1.0 - gamma)),
    };
    Discount { gamma, refresh }
}

/// The parameter `gamma`.
pub(crate) const GAMMA: Spec = Spec {
    name: "gamma",
    doc: "discount: the weight of a round relative to the next one; memory: memory / (1 + memory)",
    kind: Kind::Real { range: Range { max: 1.0, max_open: false, ..Range::POSITIVE }, words: &["memory"] },
    default: Fallback::Word("memory"),
};

/// The parameter `memory`.
pub(crate) const MEMORY: Spec = Spec {
    name: "memory",
    doc: "eta = gamma / (1 - gamma), the number of past rounds that count, where gamma is not given; infinite: gamma = 1",
    kind: Kind::Real { range: Range { min: 0.5, min_open: false, ..Range::POSITIVE }, words: &["infinite"] },
    default: Fallback::Real(100.0),
};

/// The parameter `refresh`.
pub(crate) const REFRESH: Spec = Spec {
    name: "refresh",
    doc: "W, the number of rounds, rounded down, after which the weight of the squared norm is raised to lambda again; memory: \
          max(1, floor(eta)); never: it is forgotten like a round, so that A becomes singular where inputs stay away",
    kind: Kind::Real {
        range: Range { min: 1.0, min_open: false, max: 1e15, max_open: false },
        words: &["memory", "never"],
    },
    default: Fallback::Word("memory"),
};

/// Parameters of discounted forecasters over Taylor features.
pub(crate) const TAYLOR: &[Spec] = &[LAMBDA, BANDWIDTH, taylor::ORDER, GAMMA, MEMORY, REFRESH];

/// Parameters of discounted forecasters over Fourier features.
pub(crate) const FOURIER: &[Spec] = &[LAMBDA, BANDWIDTH, fourier::FEATURES, fourier::KIND, GAMMA, MEMORY, REFRESH];

/// Builds a discounted forecaster over Taylor features.
///
/// # Errors
/// If there are too many features.
pub(crate) fn over_taylor(forecast: Forecast, params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let (map, discount) = (Box::new(taylor::map(params, setting)?), discount(params));
    Ok(AnyLearner::Full(Box::new(FixedFeatures::discounted(forecast, map, params.real(LAMBDA.name), discount))))
}

/// The cost of a run of it.
pub(crate) fn taylor_cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    FixedFeatures::cost(rounds, taylor::count(params, dim), discount(params))
}

/// Builds a discounted forecaster over Fourier features.
///
/// # Errors
/// None; the limit of `features` keeps its matrices below 4 GiB each.
pub(crate) fn over_fourier(forecast: Forecast, params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let (map, discount) = (Box::new(fourier::map(params, setting)), discount(params));
    Ok(AnyLearner::Full(Box::new(FixedFeatures::discounted(forecast, map, params.real(LAMBDA.name), discount))))
}

/// The cost of a run of it.
pub(crate) fn fourier_cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    let features = params.integer(fourier::FEATURES.name);
    let cost = FixedFeatures::cost(rounds, 2 * features, discount(params));
    Cost { flops: cost.flops + fourier::feature_cost(features, rounds, dim), ..cost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::check::check;
    use crate::parts::AllParts;

    fn of(toml: &str) -> Result<Discount, ParamError> {
        Ok(discount(&check(TAYLOR, &toml.parse::<toml::Table>().unwrap(), "", &AllParts)?))
    }

    #[test]
    fn discounts_from_parameters() {
        assert_eq!(of("gamma = 0.9").unwrap(), Discount { gamma: 0.9, refresh: 9 });
        assert_eq!(of("gamma = 0.99").unwrap().refresh, 99);
        assert_eq!(of("memory = 0.5").unwrap(), Discount { gamma: 1.0 / 3.0, refresh: 1 });
        assert_eq!(of("memory = 9\nrefresh = 4.5").unwrap(), Discount { gamma: 0.9, refresh: 4 });
        assert_eq!(of("gamma = 0.9\nrefresh = 'never'").unwrap().refresh, 0);
        assert_eq!(of("memory = 'infinite'\nrefresh = 7").unwrap(), Discount::NONE);
        assert_eq!(of("gamma = 1").unwrap(), Discount::NONE);
        for wrong in ["gamma = 0", "gamma = 1.1", "memory = 0.4", "refresh = 0"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
