//! Regression with a discount, over Taylor and over Fourier features.

use std::marker::PhantomData;

use crate::learner::api::{Cost, LearnerEntry, Setting};
use crate::learner::ridge::discount::{Discount, refresh};
use crate::learner::ridge::fixed_features::FixedFeatures;
use crate::learner::ridge::fourier::FourierSpace;
use crate::learner::ridge::regression::{Awv, FeatureSpace, FunctionSpace, Regression, Ridge};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::ridge::taylor::TaylorSpace;
use crate::params::typed::{Both, OrWord, parameters, shared};
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

parameters! {
    /// How fast rounds are forgotten.
    pub struct DiscountParams {
        gamma: OrWord<f64> = self::GAMMA;
        memory: OrWord<f64> = self::MEMORY;
        refresh: OrWord<f64> = self::REFRESH;
    }
}

impl DiscountParams {
    /// gamma, and after how many rounds the weight of the norm is raised again.
    pub fn discount(&self) -> Discount {
        let of_memory = |_| Discount::of_memory(self.memory.number().unwrap_or(f64::INFINITY)).gamma;
        let gamma = self.gamma.number().unwrap_or_else(of_memory);
        let refresh = match self.refresh.number() {
            _ if gamma == 1.0 => 0,
            Ok(rounds) => rounds as u64,
            Err("never") => 0,
            Err(_) => refresh(gamma / (1.0 - gamma)),
        };
        Discount { gamma, refresh }
    }
}

/// The span of fixed features, where past rounds count less.
#[derive(Clone, Copy, Debug)]
pub struct Discounted<S>(PhantomData<S>);

impl<S: FeatureSpace> FunctionSpace for Discounted<S> {
    type Params = Both<S::Params, DiscountParams>;
    type Learner = FixedFeatures;
    const DRAWN_BY: &'static [&'static str] = S::DRAWN_BY;

    fn learner(forecast: Forecast, params: Self::Params, setting: &Setting) -> Result<FixedFeatures, ParamError> {
        let Both(space, forgetting) = params;
        let (map, lambda) = S::map(&space, setting)?;
        Ok(FixedFeatures::discounted(forecast, map, lambda, forgetting.discount()))
    }

    fn cost(params: &Self::Params, rounds: u64, dim: usize) -> Cost {
        let Both(space, forgetting) = params;
        S::cost_of(space, forgetting.discount(), rounds, dim)
    }
}

/// Registry entry.
pub(crate) static DISCOUNTED_AWV_TAYLOR: LearnerEntry = Regression::<Discounted<TaylorSpace>, Awv>::entry(
    "discounted-awv-taylor",
    "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

/// Registry entry.
pub(crate) static DISCOUNTED_RIDGE_TAYLOR: LearnerEntry = Regression::<Discounted<TaylorSpace>, Ridge>::entry(
    "discounted-ridge-taylor",
    "ridge regression over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

/// Registry entry.
pub(crate) static DISCOUNTED_AWV_FOURIER: LearnerEntry = Regression::<Discounted<FourierSpace>, Awv>::entry(
    "discounted-awv-fourier",
    "Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module_path!(),
);

/// Registry entry.
pub(crate) static DISCOUNTED_RIDGE_FOURIER: LearnerEntry = Regression::<Discounted<FourierSpace>, Ridge>::entry(
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
        Ok(DiscountParams::read(&check(DiscountParams::SPECS, &toml.parse::<toml::Table>().unwrap(), "", &AllParts)?)
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
