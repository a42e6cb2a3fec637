//! Regression with a discount, over Taylor and over Fourier features.

use crate::learner::api::{Cost, LearnerEntry, Setting};
use crate::learner::parameters;
use crate::learner::ridge::fixed_features::FixedFeatures;
use crate::learner::ridge::forgetting::{Discount, refresh};
use crate::learner::ridge::regression::{Awv, Regression, Ridge, Space};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::ridge::{fourier, taylor};
use crate::params::typed::{OrWord, parameters, shared};
use crate::params::{Fallback, Kind, ParamError, Range};

shared! {
    /// discount: the weight of a round relative to the next one; memory: memory / (1 + memory)
    GAMMA = "gamma":
        Kind::Real { range: Range { max: 1.0, max_open: false, ..Range::POSITIVE }, words: &["memory"] }
        => Fallback::Word("memory");
    /// eta = gamma / (1 - gamma), the number of past rounds that count, where gamma is not given; infinite: gamma = 1
    MEMORY = "memory":
        Kind::Real { range: Range { min: 0.5, min_open: false, ..Range::POSITIVE }, words: &["infinite"] }
        => Fallback::Real(100.0);
    /// W, the number of rounds, rounded down, after which the weight of the squared norm is raised to lambda again; memory:
    /// max(1, floor(eta)); never: it is forgotten like a round, so that A becomes singular where inputs stay away
    REFRESH = "refresh":
        Kind::Real {
            range: Range { min: 1.0, min_open: false, max: 1e15, max_open: false },
            words: &["memory", "never"],
        }
        => Fallback::Word("memory");
}

/// The discount of `gamma`, `memory` and `refresh`.
fn discount(gamma: &OrWord<f64>, memory: &OrWord<f64>, rounds: &OrWord<f64>) -> Discount {
    let of_memory = |_| Discount::of_memory(memory.number().unwrap_or(f64::INFINITY)).gamma;
    let gamma = gamma.number().unwrap_or_else(of_memory);
    let refresh = match rounds.number() {
        _ if gamma == 1.0 => 0,
        Ok(rounds) => rounds as u64,
        Err("never") => 0,
        Err(_) => refresh(gamma / (1.0 - gamma)),
    };
    Discount { gamma, refresh }
}

parameters! {
    /// Parameters of regression with a discount over Taylor features.
    pub struct DiscountedTaylorParams {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = taylor::ORDER;
        gamma: OrWord<f64> = self::GAMMA;
        memory: OrWord<f64> = self::MEMORY;
        refresh: OrWord<f64> = self::REFRESH;
    }
}

impl DiscountedTaylorParams {
    /// The discount that they give.
    pub fn discount(&self) -> Discount {
        discount(&self.gamma, &self.memory, &self.refresh)
    }
}

/// The span of Taylor features, with a discount.
#[derive(Clone, Copy, Debug)]
pub struct DiscountedTaylor;

impl Space for DiscountedTaylor {
    type Params = DiscountedTaylorParams;
    type Learner = FixedFeatures;

    fn learner(forecast: Forecast, params: Self::Params, setting: &Setting) -> Result<FixedFeatures, ParamError> {
        let map = Box::new(taylor::make_map(params.bandwidth, params.order, setting)?);
        Ok(FixedFeatures::discounted(forecast, map, params.lambda, params.discount()))
    }

    fn cost(params: &Self::Params, rounds: u64, dim: usize) -> Cost {
        FixedFeatures::cost(rounds, taylor::features(params.order, dim), params.discount())
    }
}

parameters! {
    /// Parameters of regression with a discount over random Fourier features.
    pub struct DiscountedFourierParams {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        features: u64 = fourier::FEATURES;
        kind: &'static str = fourier::KIND;
        gamma: OrWord<f64> = self::GAMMA;
        memory: OrWord<f64> = self::MEMORY;
        refresh: OrWord<f64> = self::REFRESH;
    }
}

impl DiscountedFourierParams {
    /// The discount that they give.
    pub fn discount(&self) -> Discount {
        discount(&self.gamma, &self.memory, &self.refresh)
    }
}

/// The span of random Fourier features, with a discount.
#[derive(Clone, Copy, Debug)]
pub struct DiscountedFourier;

impl Space for DiscountedFourier {
    type Params = DiscountedFourierParams;
    type Learner = FixedFeatures;
    const DRAWN_BY: &'static [&'static str] = fourier::DRAWN_BY;

    fn learner(forecast: Forecast, params: Self::Params, setting: &Setting) -> Result<FixedFeatures, ParamError> {
        let map = Box::new(fourier::draw_map(params.bandwidth, params.features, params.kind, setting));
        Ok(FixedFeatures::discounted(forecast, map, params.lambda, params.discount()))
    }

    fn cost(params: &Self::Params, rounds: u64, dim: usize) -> Cost {
        let cost = FixedFeatures::cost(rounds, 2 * params.features, params.discount());
        Cost { flops: cost.flops + fourier::feature_cost(params.features, rounds, dim), ..cost }
    }
}

/// Registry entry.
pub(crate) static DISCOUNTED_AWV_TAYLOR: LearnerEntry = Regression::<DiscountedTaylor, Awv>::entry(
    "discounted-awv-taylor",
    "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

/// Registry entry.
pub(crate) static DISCOUNTED_RIDGE_TAYLOR: LearnerEntry = Regression::<DiscountedTaylor, Ridge>::entry(
    "discounted-ridge-taylor",
    "ridge regression over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

/// Registry entry.
pub(crate) static DISCOUNTED_AWV_FOURIER: LearnerEntry = Regression::<DiscountedFourier, Awv>::entry(
    "discounted-awv-fourier",
    "Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

/// Registry entry.
pub(crate) static DISCOUNTED_RIDGE_FOURIER: LearnerEntry = Regression::<DiscountedFourier, Ridge>::entry(
    "discounted-ridge-fourier",
    "ridge regression over random Fourier features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::check::check;
    use crate::params::typed::Parameters;
    use crate::parts::AllParts;

    fn of(toml: &str) -> Result<Discount, ParamError> {
        Ok(DiscountedTaylorParams::read(&check(
            DiscountedTaylorParams::SPECS,
            &toml.parse::<toml::Table>().unwrap(),
            "",
            &AllParts,
        )?)
        .discount())
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
