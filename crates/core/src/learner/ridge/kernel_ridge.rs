//! kernel-ridge: online kernel ridge regression.

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::ridge::exact::{Exact, ExactParams};
use crate::learner::ridge::sequential::Forecast;
use crate::params::ParamError;
use crate::params::typed::Parameters;

/// Exact kernel ridge regression: [`Exact`] with its forecast.
#[derive(Debug)]
pub struct KernelRidge;

impl KernelRidge {
    /// A forecaster that has seen nothing.
    ///
    /// # Errors
    /// As [`Exact::new`].
    #[allow(clippy::new_ret_no_self, reason = "both exact forecasters are one type")]
    pub fn new(params: KernelRidgeParams, setting: &Setting) -> Result<Exact, ParamError> {
        Exact::new(Forecast::Ridge, params, setting)
    }
}

/// Parameters of [`KernelRidge`].
pub type KernelRidgeParams = ExactParams;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kernel-ridge",
    summary: "exact online kernel ridge regression: f_t minimises sum (y - f)^2 + lambda |f|^2 over the past",
    module: module_path!(),
    params: ExactParams::SPECS,
    build: Recipe {
        learner: |params, setting| AnyLearner::full(KernelRidge::new(Parameters::read(params), setting)),
        cost: |_, rounds, dim| Exact::cost(rounds, dim),
        drawn_by: &[],
    },
};
