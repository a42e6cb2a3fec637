//! noisy-gaussian: kernel least squares under Gaussian noise of known covariance, with the Gaussian kernel.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::kernel::mixture::MixtureMeasure;
use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::step;
use crate::learner::entry::learner;
use crate::learner::noisy::surrogate_descent::{self, SurrogateDescent, SurrogateDescentParams};
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind};
use noregret_numeric::linalg::covariance::Covariance;

/// [`SurrogateDescent`] with a Gaussian kernel.
#[derive(Debug)]
pub struct NoisyGaussian;

impl NoisyGaussian {
    /// Starts at f = 0.
    ///
    /// # Errors
    /// Another kernel, and as [`SurrogateDescent::new`].
    #[allow(clippy::new_ret_no_self, reason = "descent is one type for all mixtures of Gaussian kernels")]
    pub fn new(params: NoisyGaussianParams, setting: &Setting) -> Result<SurrogateDescent, ParamError> {
        let NoisyGaussianParams { eta, eta_factor, radius, kernel, covariance, target_bound, naive } = params;
        if !matches!(kernel.mixture(setting.dim), Some(MixtureMeasure::Point(_))) {
            let why = "must be gaussian; noisy-radial accepts mixtures of Gaussian kernels";
            return Err(ParamError::refused("kernel", why));
        }
        // A Gaussian kernel is not replaced, by any number of components.
        let nodes = 2;
        let params = SurrogateDescentParams { eta, eta_factor, radius, kernel, covariance, target_bound, naive, nodes };
        SurrogateDescent::new(params, setting)
    }
}

parameters! {
    /// Parameters of [`NoisyGaussian`].
    pub struct NoisyGaussianParams with required {
        eta: OrWord<f64> = step::NOISY_ETA;
        eta_factor: f64 = step::ETA_FACTOR;
        radius: f64 = surrogate_descent::RADIUS;
        /// a Gaussian kernel, whose squared bandwidth exceeds every variance of the noise
        kernel: Arc<dyn Kernel> = Kind::Part(PartKind::Kernel) => Fallback::Part("gaussian");
        covariance: Covariance = surrogate_descent::COVARIANCE;
        target_bound: f64 = step::TARGET_BOUND;
        naive: bool = surrogate_descent::NAIVE;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// k^ with E k^(x~, x') = k(x, x') for Gaussian noise: again Gaussian, with covariance b^2 I - Sigma, times a constant
    /// f <- Proj_W(f - 2 eta (f(x~') - y~) k^(x~, .)),   x~, x~' two independent copies
    /// ```
    ///
    /// ## Cost
    ///
    /// t d operations in round t, d + 1 numbers per round, two copies per round.
    ///
    /// ## When to use it
    ///
    /// Gaussian noise of known covariance, smaller than the squared bandwidth in every direction. `naive = true` is the biased
    /// form that ignores the noise.
    ///
    /// In the report: `figure/noisy-gaussian`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "noisy-gaussian",
        summary: "Gaussian kernel, square loss, Gaussian noise of known covariance (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 3)",
        module: module_path!(),
        params: NoisyGaussianParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::noisy(NoisyGaussian::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| SurrogateDescent::cost(rounds, dim, 1),
            drawn_by: &[],
            about: About::new(Compared::Absent("it learns from noisy copies only")).of(Kin::Noisy),
        },
    };
}
