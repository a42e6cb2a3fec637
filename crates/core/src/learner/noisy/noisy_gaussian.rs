//! noisy-gaussian: kernel least squares under Gaussian noise of known covariance, with the Gaussian kernel.

use crate::kernel::api::Kernel;
use crate::kernel::mixture::Mixture;
use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::step::{ETA_FACTOR, NOISY_ETA, RADIUS, TARGET_BOUND};
use crate::learner::noisy::surrogate_descent::{self, COVARIANCE, NAIVE, cost};
use crate::learner::parameters::KERNEL;
use crate::params::{ParamError, Params, Spec};

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    match params.part::<dyn Kernel>("kernel").mixture(setting.dim) {
        Some(Mixture::Point(_)) => surrogate_descent::build(params, setting, 1),
        _ => Err(ParamError::refused("kernel", "must be gaussian; noisy-radial accepts mixtures of Gaussian kernels")),
    }
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "noisy-gaussian",
    summary: "Gaussian kernel, square loss, Gaussian noise of known covariance (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 3)",
    module: module_path!(),
    params: &[
        NOISY_ETA,
        ETA_FACTOR,
        Spec { doc: "bound on the norm of the hypothesis in the surrogate kernel's space (W)", ..RADIUS },
        Spec { doc: "a Gaussian kernel, whose squared bandwidth exceeds every variance of the noise", ..KERNEL },
        COVARIANCE,
        TARGET_BOUND,
        NAIVE,
    ],
    build: Recipe { learner: build, cost: |_, rounds, dim| cost(rounds, dim, 1), drawn_by: &[] },
};
