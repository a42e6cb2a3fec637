//! kernel-awv: kernel Azoury-Warmuth-Vovk forecaster.

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::ridge::exact::{Exact, ExactParams};
use crate::learner::ridge::sequential::Forecast;
use crate::params::ParamError;
use crate::params::typed::Parameters;

/// The exact kernel AWV forecaster: [`Exact`] with its forecast.
#[derive(Debug)]
pub struct KernelAwv;

impl KernelAwv {
    /// A forecaster that has seen nothing.
    ///
    /// # Errors
    /// As [`Exact::new`].
    #[allow(clippy::new_ret_no_self, reason = "both exact forecasters are one type")]
    pub fn new(params: KernelAwvParams, setting: &Setting) -> Result<Exact, ParamError> {
        Exact::new(Forecast::Awv, params, setting)
    }
}

/// Parameters of [`KernelAwv`].
pub type KernelAwvParams = ExactParams;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kernel-awv",
    summary: "exact kernel Azoury-Warmuth-Vovk forecaster: ridge regression with f(x_t)^2 added (Gammerman, Kalnishkan, Vovk 2004)",
    module: module_path!(),
    params: ExactParams::SPECS,
    build: Recipe {
        learner: |params, setting| AnyLearner::full(KernelAwv::new(Parameters::read(params), setting)),
        cost: |_, rounds, dim| Exact::cost(rounds, dim),
        drawn_by: &[],
    },
};
