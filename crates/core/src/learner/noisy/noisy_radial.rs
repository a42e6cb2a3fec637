//! noisy-radial: kernel least squares under Gaussian noise of known covariance, with mixtures of Gaussian kernels.

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::step::{ETA_FACTOR, NOISY_ETA, RADIUS, TARGET_BOUND};
use crate::learner::noisy::surrogate_descent::{self, COVARIANCE, NAIVE, cost};
use crate::learner::parameters::KERNEL;
use crate::params::{Fallback, Kind, ParamError, Params, Spec};

const NODES: &str = "nodes";

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    surrogate_descent::build(params, setting, params.integer(NODES) as usize)
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "noisy-radial",
    summary: "truncated radial kernel, square loss, Gaussian noise of known covariance (Cesa-Bianchi, Shalev-Shwartz, Shamir, section IV-D)",
    module: module_path!(),
    params: &[
        NOISY_ETA,
        ETA_FACTOR,
        Spec { doc: "bound on the norm of the hypothesis in the surrogate kernel's space (W)", ..RADIUS },
        Spec {
            doc: "a mixture of Gaussian kernels that are all wider than the noise: rational, inverse-multiquadric or laplace with a cutoff",
            default: Fallback::Part("rational"),
            ..KERNEL
        },
        COVARIANCE,
        TARGET_BOUND,
        NAIVE,
        Spec {
            name: NODES,
            doc: "number of Gaussian components that replace the mixture; estimates are unbiased for the replacement, which is the kernel to 1e-10 at distances r with cutoff r^2 up to 90 (24 components) or 36 (16)",
            kind: Kind::Integer { min: 2, max: 512 },
            default: Fallback::Integer(24),
        },
    ],
    build: Recipe {
        learner: build,
        cost: |params, rounds, dim| cost(rounds, dim, params.integer(NODES) as usize),
        drawn_by: &[],
    },
};
