//! noisy-radial: kernel least squares under Gaussian noise of known covariance, with mixtures of Gaussian kernels.

use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{AnyLearner, LearnerEntry, Recipe};
use crate::learner::entry::learner;
use crate::learner::noisy::surrogate_descent::{SurrogateDescent, SurrogateDescentParams};
use crate::params::typed::Parameters;

/// [`SurrogateDescent`] with any mixture of Gaussian kernels.
pub type NoisyRadial = SurrogateDescent;

/// Parameters of [`NoisyRadial`].
pub type NoisyRadialParams = SurrogateDescentParams;

learner! {
    /// ## Formula
    ///
    /// ```text
    /// k = a mixture of Gaussian kernels, all wider than the noise;  k^ = the mixture of their surrogates
    /// f <- Proj_W(f - 2 eta (f(x~') - y~) k^(x~, .))
    /// ```
    ///
    /// ## Cost
    ///
    /// `nodes` times that of noisy-gaussian at most.
    ///
    /// ## When to use it
    ///
    /// The same for other radial kernels: rational, inverse-multiquadric, or laplace with a cutoff.
    ///
    /// In the report: `figure/noisy-gaussian`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "noisy-radial",
        summary: "truncated radial kernel, square loss, Gaussian noise of known covariance (Cesa-Bianchi, Shalev-Shwartz, Shamir, section IV-D)",
        module: module_path!(),
        params: NoisyRadialParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::noisy(NoisyRadial::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| SurrogateDescent::cost(rounds, dim, NoisyRadialParams::read(params).nodes as usize),
            drawn_by: &[],
            about: About::new(Compared::Absent("it learns from noisy copies only")).of(Kin::Noisy),
        },
    };
}
