//! Regression with a discount, over Taylor and over Fourier features.

use std::marker::PhantomData;

use crate::learner::about::{About, Compared, FEW_LAMBDAS, FEW_WIDTHS, Tried};
use crate::learner::api::{Cost, Setting};
use crate::learner::entry::learner;
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

learner! {
    /// ## Formula
    ///
    /// ```text
    /// phi: the Taylor features; A = lambda I, b = 0
    /// A <- gamma A,   b <- gamma b
    /// p_t = phi' A^-1 b / (1 + phi' A^-1 phi)
    /// A <- A + phi phi',   b <- b + y phi,   and every W rounds A <- A + (1 - gamma^W) lambda I
    /// ```
    ///
    /// A round counts gamma times as much as the next one, so about `memory` = gamma / (1 - gamma) rounds count. Discounting alone
    /// would forget lambda too, and A would become singular where inputs stay away for long; the refresh keeps the weight of |w|^2
    /// between gamma^W lambda and lambda. Against functions u_t of norm at most U that move by D = sum |u_t - u_(t-1)| in all, with
    /// targets in [-B, B], its regret is at most
    /// `lambda U^2 (1 + n / memory) + B^2 r (log(1 + n / (r lambda)) + n log(1 / gamma)) + 2 lambda U D + 2 (B + U) memory D`.
    ///
    /// ## Cost
    ///
    /// As pkrr-taylor, and r^3 / (3 W) operations more per round where W is small: r^2 numbers.
    ///
    /// ## When to use it
    ///
    /// Targets whose law changes, when the time over which it changes is known; otherwise discount-mixture. The bound is loose for
    /// slow changes: its best memory is too short there.
    pub(crate) static DISCOUNTED_AWV_TAYLOR = Regression::<Discounted<TaylorSpace>, Awv>::entry(
        "discounted-awv-taylor",
        "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
        module_path!(),
        About::grid(&[
            ("lambda", FEW_LAMBDAS),
            ("memory", Tried::Numbers(&[10.0, 100.0, 1000.0])),
            ("bandwidth", FEW_WIDTHS),
            ("order", Tried::Orders(3)),
        ]),
    );

    /// ## Formula
    ///
    /// ```text
    /// A and b as for discounted-awv-taylor;   p_t = phi' A^-1 b
    /// ```
    ///
    /// ## Cost
    ///
    /// As discounted-awv-taylor.
    ///
    /// ## When to use it
    ///
    /// As discounted-awv-taylor, of whose forecast it lacks the factor 1 / (1 + phi' A^-1 phi), and with it the bound; where inputs
    /// repeat themselves the two hardly differ.
    pub(crate) static DISCOUNTED_RIDGE_TAYLOR = Regression::<Discounted<TaylorSpace>, Ridge>::entry(
        "discounted-ridge-taylor",
        "ridge regression over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
        module_path!(),
        About::new(Compared::Absent("`discounted-awv-taylor` stands for both")),
    );

    /// ## Formula
    ///
    /// ```text
    /// phi: the random Fourier features of pkrr-fourier; A, b and p_t as for discounted-awv-taylor
    /// ```
    ///
    /// ## Cost
    ///
    /// As pkrr-fourier, with the discount of discounted-awv-taylor.
    ///
    /// ## When to use it
    ///
    /// Changing targets and more inputs than Taylor features can take.
    pub(crate) static DISCOUNTED_AWV_FOURIER = Regression::<Discounted<FourierSpace>, Awv>::entry(
        "discounted-awv-fourier",
        "Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
        module_path!(),
        About::new(Compared::Absent("`discounted-awv-taylor` stands for it")).random(),
    );

    /// ## Formula
    ///
    /// ```text
    /// phi: the random Fourier features of pkrr-fourier; A and b as for discounted-awv-taylor;   p_t = phi' A^-1 b
    /// ```
    ///
    /// ## Cost
    ///
    /// As pkrr-fourier, with the discount of discounted-awv-taylor.
    ///
    /// ## When to use it
    ///
    /// As discounted-awv-fourier.
    pub(crate) static DISCOUNTED_RIDGE_FOURIER = Regression::<Discounted<FourierSpace>, Ridge>::entry(
        "discounted-ridge-fourier",
        "ridge regression over random Fourier features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
        module_path!(),
        About::new(Compared::Absent("`discounted-awv-taylor` stands for it")).random(),
    );
}

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
