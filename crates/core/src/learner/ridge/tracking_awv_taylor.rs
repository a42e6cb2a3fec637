//! tracking-awv-taylor: the Azoury-Warmuth-Vovk forecaster against a function that moves, over the Taylor features of the
//! Gaussian kernel. See [`crate::learner::ridge::tracking`].

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::parameters;
use crate::learner::ridge::taylor;
use crate::learner::ridge::tracking::{TrackingAwv, cost};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};

parameters! {
    /// Parameters of [`TrackingAwvTaylor`].
    pub struct TrackingAwvTaylorParams {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = taylor::ORDER;
        /// variance of a step of the function's weights from one round to the next
        q: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(0.01);
        /// what is left of the function's weights after a round, before the step
        a: f64 = Kind::real(Range { max: 1.0, max_open: false, ..Range::POSITIVE }) => Fallback::Real(1.0);
    }
}

/// [`TrackingAwv`] over Taylor features.
#[derive(Clone, Copy, Debug)]
pub struct TrackingAwvTaylor;

impl TrackingAwvTaylor {
    /// The forecaster that has seen nothing.
    ///
    /// # Errors
    /// Values out of range; too many features.
    #[allow(clippy::new_ret_no_self, reason = "the forecaster takes any features")]
    pub fn new(params: TrackingAwvTaylorParams, setting: &Setting) -> Result<TrackingAwv, ParamError> {
        params.check()?;
        let TrackingAwvTaylorParams { lambda, bandwidth, order, q, a } = params;
        Ok(TrackingAwv::new(Box::new(taylor::make_map(bandwidth, order, setting)?), lambda, q, a))
    }
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "tracking-awv-taylor",
    summary: "Azoury-Warmuth-Vovk forecaster against a moving function, over the Taylor features of the Gaussian kernel (after Busuttil, Kalnishkan, ALT 2007)",
    module: module_path!(),
    params: TrackingAwvTaylorParams::SPECS,
    build: Recipe {
        learner: |params, setting| AnyLearner::full(TrackingAwvTaylor::new(Parameters::read(params), setting)),
        cost: |params, rounds, dim| cost(rounds, taylor::features(TrackingAwvTaylorParams::read(params).order, dim)),
        drawn_by: &[],
    },
};
