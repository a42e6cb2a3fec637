//! discount-mixture: the discounted Azoury-Warmuth-Vovk forecasters of all memories of a geometric grid, over the same Taylor
//! features, and what exponential weights make of them.
//!
//! The memories are 1/2, 1, 2, 4, ..., up to the first that is at least the horizon n (2^20 where it is not known), and
//! infinity. Against every path its regret is within a constant factor of that of the best memory in hindsight; see
//! `noregret_papers::beyond::tracking::bounds`. Forecasters against a moving function (tracking-awv-taylor) with q = 1, 1/4, 1/16, ..., down to
//! 1/n, may be among the experts too.
//!
//! Sources: A. Jacobsen, A. Cutkosky, ICML 2024, for the grid of discounts; [`crate::learner::combine::mixture`] for the weights.

use std::cell::RefCell;

use crate::feature::api::FeatureMap;
use crate::feature::identity::IdentityMap;
use crate::learner::about::{About, FEW_WIDTHS, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting,
};
use crate::learner::combine::mixture::{self, Mixture, MixtureRule};
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::fixed_features::FixedFeatures;
use crate::learner::ridge::sequential::Forecast;
use crate::learner::ridge::taylor;
use crate::learner::ridge::tracking::{self, TrackingAwv};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::{StateError, Store};

/// The horizon of the grid where none is known.
const ROUNDS: u64 = 1 << 20;

learner! {
    /// ## Formula
    ///
    /// ```text
    /// experts: discounted-awv-taylor with memory 1/2, 1, 2, 4, ..., 2^ceil(log2 n) and infinite, over the same features;
    /// with tracking = true also tracking-awv-taylor with q = 1, 1/4, 1/16, ..., 1/n
    /// p_t: their exponentially weighted average, or the forecast of the aggregating algorithm (see expert-mixture)
    /// ```
    ///
    /// Against every path of length D and norm at most U, with K experts and c = 8 (average) or 2 (aggregating), the regret is at most
    /// `lambda U^2 + B^2 r log(1 + n / (r lambda)) + 2 lambda U D + 2.13 sqrt(2 (B + U) (B^2 r + lambda U^2) n D) + c B^2 log K`: no
    /// memory has to be chosen. Where the horizon is not known, memories go up to 2^20.
    ///
    /// ## Cost
    ///
    /// That of its K = ceil(log2 n) + 3 experts; the features are computed once.
    ///
    /// ## When to use it
    ///
    /// Targets that may change, at a pace that nobody knows. `bound` must be at least the largest absolute target.
    pub(crate) static ENTRY = LearnerEntry {
        name: "discount-mixture",
        summary: "exponential weights over discounted Azoury-Warmuth-Vovk forecasters of all memories, over the Taylor features of the Gaussian kernel (Jacobsen, Cutkosky, ICML 2024)",
        module: module_path!(),
        params: DiscountMixtureParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(DiscountMixture::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let DiscountMixtureParams { order, tracking, .. } = Parameters::read(params);
                let features = taylor::features(order, dim);
                let discounted = memories(rounds)
                    .into_iter()
                    .map(|memory| FixedFeatures::cost(rounds, features, Discount::of_memory(memory)));
                let moving = steps(tracking, rounds).into_iter().map(|_| tracking::cost(rounds, features));
                discounted
                    .chain(moving)
                    .fold(Cost::default(), |sum, one| Cost { flops: sum.flops + one.flops, bytes: sum.bytes + one.bytes })
            },
            drawn_by: &[],
            about: About::grid(&[
                ("lambda", Tried::Numbers(&[0.01, 1.0])),
                ("bandwidth", FEW_WIDTHS),
                ("order", Tried::Orders(2)),
                ("bound", Tried::TargetBound),
                ("rule", Tried::Words(&["aggregating"])),
            ]),
        },
    };
}

parameters! {
    /// Parameters of [`DiscountMixture`].
    pub struct DiscountMixtureParams with required {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = taylor::ORDER;
        bound: f64 = mixture::BOUND;
        rule: &'static str = mixture::RULE;
        /// whether forecasters against a moving function, with q = 1, 1/4, 1/16, ..., 1/n, are among the experts
        tracking: bool = Kind::Flag => Fallback::Flag(false);
    }
}

/// The memories for n rounds: 2^j for j = -1, 0, ..., ceil(log2 n), and infinity.
pub fn memories(rounds: u64) -> Vec<f64> {
    let doublings = rounds.max(1).next_power_of_two().trailing_zeros();
    let finite = std::iter::successors(Some(0.5), |memory| Some(2.0 * memory)).take(doublings as usize + 2);
    finite.chain([f64::INFINITY]).collect()
}

/// The number of experts over this many rounds.
pub fn experts(params: &DiscountMixtureParams, rounds: u64) -> usize {
    memories(rounds).len() + steps(params.tracking, rounds).len()
}

/// The variances q of the tracking experts, if there are any: 1, 1/4, 1/16, ... down to the first that is at most 1/n.
fn steps(tracking: bool, rounds: u64) -> Vec<f64> {
    let quarters = if tracking { rounds.max(1).next_power_of_two().trailing_zeros().div_ceil(2) + 1 } else { 0 };
    std::iter::successors(Some(1.0), |q| Some(0.25 * q)).take(quarters as usize).collect()
}

/// Experts over the same features, which are computed once.
pub struct DiscountMixture {
    map: Box<dyn FeatureMap>,
    experts: Mixture,
    /// The features of a block.
    mapped: Matrix,
    /// The features of an input.
    phi: RefCell<Vec<f64>>,
}

impl DiscountMixture {
    /// Starts with equal weights.
    ///
    /// # Errors
    /// Values out of range; too many features.
    pub fn new(params: DiscountMixtureParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let DiscountMixtureParams { lambda, bandwidth, order, bound, rule, tracking } = params;
        let map = Box::new(taylor::make_map(bandwidth, order, setting)?);
        let r = map.features();
        let features = || Box::new(IdentityMap(r));
        let horizon = setting.horizon.unwrap_or(ROUNDS);
        let discounted = memories(horizon).into_iter().map(|memory| -> Box<dyn Learner> {
            let discount = Discount::of_memory(memory);
            Box::new(FixedFeatures::discounted(Forecast::Awv, features(), lambda, discount))
        });
        let moving = steps(tracking, horizon)
            .into_iter()
            .map(|q| -> Box<dyn Learner> { Box::new(TrackingAwv::new(features(), lambda, q, 1.0)) });
        // None of them draws.
        let experts = discounted.chain(moving).zip(0..).map(|(learner, key)| (key, learner)).collect();
        let experts = Mixture::new(experts, MixtureRule::named(rule), bound);
        Ok(Self { map, experts, mapped: Matrix::with_width(r), phi: RefCell::default() })
    }

    fn map(&self, x: &[f64], phi: &mut Vec<f64>) {
        phi.resize(self.map.features(), 0.0);
        self.map.write(x, phi);
    }
}

impl Hypothesis for DiscountMixture {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let phi = &mut *self.phi.borrow_mut();
        self.map(x, phi);
        self.experts.predict(phi, draw)
    }

    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let phi = &mut *self.phi.borrow_mut();
        self.map(x, phi);
        self.experts.context(phi, draw)
    }

    fn gauges(&self) -> Gauges {
        self.experts.gauges()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.experts.state(store)
    }
}

impl Learner for DiscountMixture {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let mut phi = self.phi.take();
        self.map(x, &mut phi);
        let learnt = self.experts.learn_weighted(&phi, y, weight, draw);
        self.phi.replace(phi);
        learnt
    }

    fn learn_late(&mut self, row: Block<'_>, context: &[f64], draws: &Draws) -> Result<(), Breakdown> {
        let mut phi = Vec::new();
        self.map(row.inputs.row(0), &mut phi);
        self.experts.learn_late(Block { inputs: Rows::new(phi.len(), &phi), ..row }, context, draws)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.mapped.reshape(block.targets.len(), self.map.features());
        self.map.write_rows(block.inputs, self.mapped.data_mut());
        self.experts.play(Block { inputs: self.mapped.view(), ..block }, draws, predictions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_double_up_to_the_horizon() {
        let infinite = f64::INFINITY;
        assert_eq!(memories(1), [0.5, 1.0, infinite]);
        assert_eq!(memories(5), [0.5, 1.0, 2.0, 4.0, 8.0, infinite]);
        assert_eq!(memories(100).len(), 10);
        assert_eq!(memories(ROUNDS).len(), 23);
    }
}
