//! Regression over a space of functions: ridge or Azoury-Warmuth-Vovk, over any space. Each pair is a learner of its own name.

use std::marker::PhantomData;

use crate::feature::api::FeatureMap;
use crate::learner::about::About;
use crate::learner::api::{AnyLearner, Cost, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::sequential::Forecast;
use crate::params::ParamError;
use crate::params::typed::Parameters;

/// A space of functions, and how regression over it is computed.
pub trait FunctionSpace: 'static {
    /// What describes the space and the weight of the norm.
    type Params: Parameters;
    /// Regression over it.
    type Learner: Learner + 'static;
    /// See [`Recipe::drawn_by`].
    const DRAWN_BY: &'static [&'static str] = &[];

    /// The forecaster that has seen nothing.
    ///
    /// # Errors
    /// A space that does not fit the inputs or the memory.
    fn learner(forecast: Forecast, params: Self::Params, setting: &Setting) -> Result<Self::Learner, ParamError>;

    /// The cost of a run.
    fn cost(params: &Self::Params, rounds: u64, dim: usize) -> Cost;
}

/// A space that fixed features span.
pub trait FeatureSpace: FunctionSpace {
    /// The features, and the weight of the norm.
    ///
    /// # Errors
    /// Features that do not fit the memory.
    fn map(params: &Self::Params, setting: &Setting) -> Result<(Box<dyn FeatureMap>, f64), ParamError>;

    /// The cost of a run over them with this discount.
    fn cost_of(params: &Self::Params, discount: Discount, rounds: u64, dim: usize) -> Cost;
}

/// Which forecast is made of the same sums.
pub trait ForecastRule: 'static {
    /// The forecast.
    const FORECAST: Forecast;
}

/// Ridge regression.
#[derive(Clone, Copy, Debug)]
pub struct Ridge;

impl ForecastRule for Ridge {
    const FORECAST: Forecast = Forecast::Ridge;
}

/// The Azoury-Warmuth-Vovk forecaster.
#[derive(Clone, Copy, Debug)]
pub struct Awv;

impl ForecastRule for Awv {
    const FORECAST: Forecast = Forecast::Awv;
}

/// The forecasters `R` over the space `S`.
///
/// ```
/// use noregret_core::learner::ridge::exact::{KernelAwv, KernelAwvParams};
/// use noregret_core::prelude::*;
///
/// let params = KernelAwvParams { lambda: 0.1, ..KernelAwvParams::default() };
/// let learner = KernelAwv::new(params, &Setting::new(2))?;
/// assert_eq!(learner.predict(&[0.5, -0.5], &mut Draws::named(&[]).at(Role::Predict, 1)), 0.0);
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Regression<S, R>(PhantomData<(S, R)>);

impl<S: FunctionSpace, R: ForecastRule> Regression<S, R> {
    /// The forecaster that has seen nothing.
    ///
    /// # Errors
    /// Values out of range; a space that does not fit the inputs or the memory.
    #[allow(clippy::new_ret_no_self, reason = "the space says how regression over it is computed")]
    pub fn new(params: S::Params, setting: &Setting) -> Result<S::Learner, ParamError> {
        params.check()?;
        S::learner(R::FORECAST, params, setting)
    }

    /// Its registry entry.
    pub(crate) const fn entry(
        name: &'static str,
        summary: &'static str,
        module: &'static str,
        about: About,
    ) -> LearnerEntry {
        LearnerEntry {
            name,
            summary,
            module,
            params: S::Params::SPECS,
            build: Recipe {
                learner: |params, setting| AnyLearner::full(Self::new(Parameters::read(params), setting)),
                cost: |params, rounds, dim| S::cost(&Parameters::read(params), rounds, dim),
                drawn_by: S::DRAWN_BY,
                about,
            },
        }
    }
}
