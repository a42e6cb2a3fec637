//! aioli-taylor: online logistic regression (AIOLI) over the Taylor features of the Gaussian kernel.

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::newton::aioli::{self, Aioli};
use crate::learner::parameters;
use crate::learner::ridge::taylor;
use crate::params::ParamError;
use crate::params::typed::{Parameters, parameters};

/// [`Aioli`] over Taylor features.
#[derive(Debug)]
pub struct AioliTaylor;

impl AioliTaylor {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range, or more features than the memory holds.
    #[allow(clippy::new_ret_no_self, reason = "AIOLI is one type over all features")]
    pub fn new(params: AioliTaylorParams, setting: &Setting) -> Result<Aioli, ParamError> {
        params.check()?;
        let map = taylor::make_map(params.bandwidth, params.order, setting)?;
        Ok(Aioli::new(Box::new(map), params.lambda, params.bound))
    }
}

parameters! {
    /// Parameters of [`AioliTaylor`].
    pub struct AioliTaylorParams {
        lambda: f64 = aioli::LAMBDA;
        bound: f64 = aioli::BOUND;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = taylor::ORDER;
    }
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "aioli-taylor",
    summary: "online logistic regression over the Taylor features of the Gaussian kernel; predicts logits of labels -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020)",
    module: module_path!(),
    params: AioliTaylorParams::SPECS,
    build: Recipe {
        learner: |params, setting| AnyLearner::full(AioliTaylor::new(Parameters::read(params), setting)),
        cost: |params, rounds, dim| Aioli::cost(rounds, taylor::features(AioliTaylorParams::read(params).order, dim)),
        drawn_by: &[],
    },
};
