//! tracking-awv-taylor: the Azoury-Warmuth-Vovk forecaster against a function that moves, over the Taylor features of the
//! Gaussian kernel. See [`crate::learner::ridge::tracking`].

use crate::learner::about::{About, FEW_LAMBDAS, FEW_WIDTHS, Tried};
use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::entry::learner;
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

learner! {
    /// ## Formula
    ///
    /// ```text
    /// phi: the Taylor features;   P = I / lambda, m = 0
    /// v = P phi,   h = phi' v,   p_t = phi' m / (1 + h)
    /// m <- a (m + v (y - phi' m) / (1 + h)),   P <- a^2 (P - v v' / (1 + h)) + q I
    /// ```
    ///
    /// The best path of functions is taken to move by steps of variance q. For a = 1, against every path that starts in u_0 and has the
    /// squared length S = sum |u_t - u_(t-1)|^2, the regret is at most
    /// `lambda |u_0|^2 + S / q + B^2 (r log(1 + n / (r lambda)) + n sqrt(r q))`. With q = 0 and a = 1 it is pkawv-taylor.
    ///
    /// ## Cost
    ///
    /// 3.5 r^2 operations per round, r^2 / 2 numbers; one triangle of P is kept, because both would drift apart.
    ///
    /// ## When to use it
    ///
    /// Targets that drift slowly. For targets that switch, a discount loses less; discount-mixture with `tracking = true` has both.
    pub(crate) static ENTRY = LearnerEntry {
        name: "tracking-awv-taylor",
        summary: "Azoury-Warmuth-Vovk forecaster against a moving function, over the Taylor features of the Gaussian kernel (after Busuttil, Kalnishkan, ALT 2007)",
        module: module_path!(),
        params: TrackingAwvTaylorParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(TrackingAwvTaylor::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| cost(rounds, taylor::features(TrackingAwvTaylorParams::read(params).order, dim)),
            drawn_by: &[],
            about: About::grid(&[
                ("lambda", FEW_LAMBDAS),
                ("q", Tried::Numbers(&[1e-6, 1e-4, 0.01])),
                ("bandwidth", FEW_WIDTHS),
                ("order", Tried::Orders(3)),
            ]),
        },
    };
}
