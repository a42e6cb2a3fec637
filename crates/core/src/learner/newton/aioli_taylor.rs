//! aioli-taylor: online logistic regression (AIOLI) over the Taylor features of the Gaussian kernel.

use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{AnyLearner, LearnerEntry, Recipe, Setting};
use crate::learner::entry::learner;
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

learner! {
    /// ## Formula
    ///
    /// ```text
    /// phi: the Taylor features; A = 2 lambda I, b = 0; labels y = -1, +1
    /// h = phi' A^-1 phi,   v = phi' A^-1 b,   z + h tanh(z / 2) = v
    /// s = sigma(-y z),   c = sigma(z) sigma(-z) / (1 + C),   A += c phi phi',   b += (y s + c z) phi
    /// ```
    ///
    /// The prediction z is a logit: its sign is the class, and sigma(z) = 1 / (1 + exp(-z)) the probability of +1. Against every
    /// theta with |theta' phi| <= C, the sum of log losses log(1 + exp(-y z)) is larger by at most
    /// `lambda |theta|^2 + (1 + C) r log(1 + n / (8 r lambda (1 + C)))`, whatever the inputs and labels. Another target than -1 or
    /// +1 ends the run.
    ///
    /// ## Cost
    ///
    /// As pkrr-taylor: r^2 operations per round, r^2 numbers, r = C(order + d, d).
    ///
    /// ## When to use it
    ///
    /// Two classes, and probabilities are wanted. `bound` says how certain predictions may become; `lambda` is small, because a log
    /// loss weighs less than a square.
    pub(crate) static ENTRY = LearnerEntry {
        name: "aioli-taylor",
        summary: "online logistic regression over the Taylor features of the Gaussian kernel; predicts logits of labels -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020)",
        module: module_path!(),
        params: AioliTaylorParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(AioliTaylor::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| Aioli::cost(rounds, taylor::features(AioliTaylorParams::read(params).order, dim)),
            drawn_by: &[],
            about: About::grid(&[
                ("lambda", Tried::Numbers(&[1e-4, 0.01, 1.0])),
                ("bound", Tried::Numbers(&[3.0, 10.0, 30.0])),
                ("bandwidth", FEW_WIDTHS),
                ("order", Tried::Orders(3)),
            ])
            .of(Kin::Taylor)
            .labels(),
        },
    };
}
