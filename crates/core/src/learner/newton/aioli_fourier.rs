//! aioli-fourier: online logistic regression (AIOLI) over random Fourier features of the Gaussian kernel.

use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{AnyLearner, Cost, LearnerEntry, Recipe, Setting};
use crate::learner::entry::learner;
use crate::learner::newton::aioli::{self, Aioli};
use crate::learner::parameters;
use crate::learner::ridge::fourier;
use crate::params::ParamError;
use crate::params::typed::{Parameters, parameters};

/// [`Aioli`] over random Fourier features.
#[derive(Debug)]
pub struct AioliFourier;

impl AioliFourier {
    /// A learner that has seen nothing, over features that are drawn from its own draws.
    ///
    /// # Errors
    /// Values out of range.
    #[allow(clippy::new_ret_no_self, reason = "AIOLI is one type over all features")]
    pub fn new(params: AioliFourierParams, setting: &Setting) -> Result<Aioli, ParamError> {
        params.check()?;
        let map = fourier::draw_map(params.bandwidth, params.features, params.kind, setting);
        Ok(Aioli::new(Box::new(map), params.lambda, params.bound))
    }
}

parameters! {
    /// Parameters of [`AioliFourier`].
    pub struct AioliFourierParams {
        lambda: f64 = aioli::LAMBDA;
        bound: f64 = aioli::BOUND;
        bandwidth: f64 = parameters::BANDWIDTH;
        features: u64 = fourier::FEATURES;
        kind: &'static str = fourier::KIND;
    }
}

learner! {
    /// ## Formula
    ///
    /// As `aioli-taylor`, over the features of `pkrr-fourier`.
    ///
    /// ## Cost
    ///
    /// As pkrr-fourier: r^2 operations per round, r^2 numbers, r = 2 D.
    ///
    /// ## When to use it
    ///
    /// Two classes and many inputs.
    pub(crate) static ENTRY = LearnerEntry {
        name: "aioli-fourier",
        summary: "online logistic regression over random Fourier features of the Gaussian kernel; predicts logits of labels -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020)",
        module: module_path!(),
        params: AioliFourierParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(AioliFourier::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let features = AioliFourierParams::read(params).features;
                let cost = Aioli::cost(rounds, 2 * features);
                Cost { flops: cost.flops + fourier::feature_cost(features, rounds, dim), ..cost }
            },
            drawn_by: fourier::DRAWN_BY,
            about: About::grid(&[
                ("lambda", Tried::Numbers(&[1e-4, 0.01])),
                ("bound", Tried::Numbers(&[10.0, 30.0])),
                ("bandwidth", FEW_WIDTHS),
                ("features", Tried::Whole(&[50, 200])),
                ("kind", Tried::Words(&["orthogonal"])),
            ])
            .of(Kin::Fourier)
            .random()
            .labels(),
        },
    };
}
