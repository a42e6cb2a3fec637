//! sketched-kons: kernel online Newton steps whose matrix keeps a random subset of the rounds.
//!
//! Round s is kept with probability max(min(beta tau_s, 1), gamma), where tau_s is the leverage score of KORS over the
//! rounds kept so far. Kept terms are not reweighted, which puts the factor 1/gamma into the regret bound.
//!
//! Source: D. Calandriello, A. Lazaric, M. Valko, ICML 2017.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::entry::learner;
use crate::learner::newton::constants;
use crate::learner::newton::kons_dual::{Dual, DualParams};
use crate::learner::parameters;
use crate::learner::ridge::kors::{self, Kors, SampleWeights, SamplerParams};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::state::{StateError, Store};

/// The dual form with the rounds that KORS keeps.
#[derive(Debug)]
pub struct SketchedKons {
    dual: Dual,
    kors: Kors,
    /// Kernel values with the rounds kept.
    row: Vec<f64>,
}

impl SketchedKons {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range; a kernel that does not accept inputs of this dimension.
    pub fn new(params: SketchedKonsParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let SketchedKonsParams { alpha, clip, mu, beta, epsilon, gamma, kernel } = params;
        let rule = SamplerParams { mu, beta, epsilon, weights: SampleWeights::Theory, least: gamma };
        let dual = Dual::new(DualParams { alpha, clip, kernel }, setting)?;
        Ok(Self { dual, kors: Kors::new(rule), row: Vec::new() })
    }

    /// [`Learner::learn`] with the number that it draws from [0, 1); returns whether the round is kept.
    ///
    /// # Errors
    /// If kernel values or the step are not finite.
    pub fn learn_with(&mut self, x: &[f64], y: f64, uniform: f64) -> Result<bool, Breakdown> {
        let own = self.dual.kept_row(x, &mut self.row);
        let probability = self.kors.probability(&self.row, own)?;
        let keep = uniform < probability;
        self.dual.step(x, y, keep)?;
        if keep {
            self.kors.accept(own, probability);
        }
        Ok(keep)
    }
}

impl Hypothesis for SketchedKons {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.dual.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        let gauges = self.dual.gauges();
        Gauges {
            // The order of the matrix; all points are stored.
            features: Some(self.kors.len() as u64),
            state_bytes: gauges.state_bytes.map(|bytes| bytes + self.kors.bytes()),
            ..gauges
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { dual, kors, row: _ } = self;
        store.within("dual", |store| dual.state(store))?;
        store.keep("kors", kors)
    }
}

impl Learner for SketchedKons {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_with(x, y, draw.uniform()).map(drop)
    }
}

parameters! {
    /// Parameters of [`SketchedKons`].
    pub struct SketchedKonsParams {
        alpha: f64 = constants::ALPHA;
        clip: f64 = constants::CLIP;
        mu: f64 = kors::MU;
        beta: f64 = kors::BETA;
        epsilon: f64 = kors::EPSILON;
        /// smallest probability with which a round is kept
        gamma: f64 = Kind::real(Range { max: 1.0, max_open: false, ..Range::NONNEGATIVE }) => Fallback::Real(0.1);
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// as kons, where round s stays in A only with probability max(min(beta tau_s, 1), gamma)
    /// ```
    ///
    /// ## Cost
    ///
    /// t + |S|^2 operations in round t, for the set S of rounds kept; at least a share `gamma` of the rounds is kept, so that
    /// the cost still grows with the square of the stream.
    ///
    /// ## When to use it
    ///
    /// To compare with the paper. Prefer `pros-n-kons`, whose cost follows the dictionary.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "sketched-kons",
        summary: "kernel online Newton steps over a random subset of the rounds (Calandriello, Lazaric, Valko, ICML 2017)",
        module: module_path!(),
        params: SketchedKonsParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(SketchedKons::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let SketchedKonsParams { mu, beta, gamma, .. } = Parameters::read(params);
                let (n, d) = (rounds as f64, dim as f64);
                let m = kors::expected_points(mu, beta, n).max(n * gamma).clamp(1.0, n.max(1.0));
                Cost { flops: n * (m * m + n / 2.0 * (3.0 * d + 24.0)), bytes: 8.0 * (n * (d + 2.0) + m * (m + 4.0)) }
            },
            drawn_by: &[],
            about: About::grid(&[
                ("alpha", Tried::Numbers(&[0.1, 1.0, 10.0])),
                ("clip", Tried::TargetBound),
                ("kernel.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Newton)
            .random(),
        },
    };
}
