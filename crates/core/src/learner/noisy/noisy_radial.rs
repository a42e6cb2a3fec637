//! noisy-radial: kernel least squares under Gaussian noise of known covariance, with mixtures of Gaussian kernels.

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe};
use crate::learner::noisy::surrogate_descent::{SurrogateDescent, SurrogateDescentParams};
use crate::params::typed::Parameters;

/// [`SurrogateDescent`] with any mixture of Gaussian kernels.
pub type NoisyRadial = SurrogateDescent;

/// Parameters of [`NoisyRadial`].
pub type NoisyRadialParams = SurrogateDescentParams;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "noisy-radial",
    summary: "truncated radial kernel, square loss, Gaussian noise of known covariance (Cesa-Bianchi, Shalev-Shwartz, Shamir, section IV-D)",
    module: module_path!(),
    params: NoisyRadialParams::SPECS,
    build: Recipe {
        learner: |params, setting| AnyLearner::noisy(NoisyRadial::new(Parameters::read(params), setting)),
        cost: |params, rounds, dim| SurrogateDescent::cost(rounds, dim, NoisyRadialParams::read(params).nodes as usize),
        drawn_by: &[],
    },
};
