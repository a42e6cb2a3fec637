//! Exponential weights over the forecasts of learners: what [`crate::learner::expert_mixture`] and
//! [`crate::learner::discount_mixture`] share.
//!
//! With p_k the forecast of expert k clipped to [-B, B], L_k its cumulative squared loss and |y| <= B, the weights are
//! w_k ~ exp(-eta L_k), and the forecast is either the weighted mean (the exponentially weighted average, with the
//! largest eta for which (p - y)^2 is exp-concave in p, 1/(8 B^2)) or, with eta = 1/(2 B^2), that of the aggregating
//! algorithm,
//!
//! ```text
//! p = (G(-B) - G(B)) / (4 B),   G(y) = -(1/eta) log sum_k w_k exp(-eta (p_k - y)^2).
//! ```
//!
//! On every sequence the cumulative loss is at most min_k L_k + log(K) / eta, which exceeds the best expert's loss by
//! 8 B^2 log K and by 2 B^2 log K, respectively.
//!
//! Sources: N. Cesa-Bianchi, G. Lugosi, Prediction, learning, and games (2006), sections 3.3 and 3.6; V. Vovk, J. of
//! Computer and System Sciences 56 (1998). R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019, section 3.1, from whom the
//! grid over lambda comes, state B^2 log K, which is the constant for targets in [0, B] up to a factor of 2.

use std::cell::RefCell;

use crate::draw::{Draw, Draws};
use crate::learner::api::{Block, Breakdown, Gauges, Hypothesis, Learner, in_round};
use crate::linalg::matrix::Rows;
use crate::linalg::sum::Sum;
use crate::params::{Fallback, Kind, Params, Range, Spec};
use crate::state::{State, StateError, Store};

/// The parameter `bound`.
pub const BOUND: Spec = Spec {
    name: "bound",
    doc: "B, the largest absolute value of a target; experts are clipped to [-B, B]",
    kind: Kind::Real { range: Range::POSITIVE, words: &[] },
    default: Fallback::Required,
};

/// The parameter `rule`.
pub const RULE: Spec = Spec {
    name: "rule",
    doc: "mean of the experts with eta = 1/(8 B^2) (average), or substitution function of the aggregating algorithm with \
          eta = 1/(2 B^2) (aggregating)",
    kind: Kind::Choice(&["average", "aggregating"]),
    default: Fallback::Word("average"),
};

/// How the forecasts of the experts are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Exponentially weighted average.
    Average,
    /// Aggregating algorithm.
    Aggregating,
}

impl Rule {
    /// The value of [`RULE`].
    pub fn from(params: &Params) -> Self {
        if params.word(RULE.name) == "aggregating" { Self::Aggregating } else { Self::Average }
    }

    /// eta for targets in [-`bound`, `bound`].
    pub fn eta(self, bound: f64) -> f64 {
        match self {
            Rule::Average => 1.0 / (8.0 * bound * bound),
            Rule::Aggregating => 1.0 / (2.0 * bound * bound),
        }
    }
}

/// Weights of experts from their losses so far; see the module.
#[derive(Clone, Debug)]
pub struct Weights {
    rule: Rule,
    bound: f64,
    losses: Vec<Sum>,
    /// exp(-eta (L_k - min L)).
    weights: Vec<f64>,
}

impl Weights {
    /// Equal weights of `experts` >= 1 experts, for targets in [-`bound`, `bound`], `bound` > 0.
    pub fn new(rule: Rule, bound: f64, experts: usize) -> Self {
        Self { rule, bound, losses: vec![Sum::default(); experts], weights: vec![1.0; experts] }
    }

    /// The weights, of sum 1.
    pub fn normalised(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        self.weights.iter().map(|weight| weight / total).collect()
    }

    /// The forecast of the mixture from the experts' forecasts.
    pub fn forecast(&self, experts: impl Iterator<Item = f64> + Clone) -> f64 {
        let bound = self.bound;
        let clipped = experts.map(|value| value.clamp(-bound, bound));
        let total: f64 = self.weights.iter().sum();
        match self.rule {
            Rule::Average => self.weights.iter().zip(clipped).map(|(weight, p)| weight * p).sum::<f64>() / total,
            Rule::Aggregating => {
                let eta = self.rule.eta(bound);
                let generalised = |y: f64| {
                    let terms = self.weights.iter().zip(clipped.clone());
                    -terms.map(|(weight, p)| weight * (-eta * (p - y) * (p - y)).exp()).sum::<f64>().ln() / eta
                };
                // The total of the weights cancels.
                (generalised(-bound) - generalised(bound)) / (4.0 * bound)
            }
        }
    }

    /// Updates the weights with the experts' forecasts and the target.
    pub fn learn(&mut self, experts: impl Iterator<Item = f64>, y: f64) {
        for (loss, value) in self.losses.iter_mut().zip(experts) {
            let residual = value.clamp(-self.bound, self.bound) - y;
            loss.add(residual * residual);
        }
        let least = self.losses.iter().map(Sum::value).fold(f64::INFINITY, f64::min);
        let eta = self.rule.eta(self.bound);
        for (weight, loss) in self.weights.iter_mut().zip(&self.losses) {
            *weight = (-eta * (loss.value() - least)).exp();
        }
    }
}

impl State for Weights {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { rule: _, bound: _, losses, weights } = self;
        for (i, loss) in losses.iter_mut().enumerate() {
            store.keep(&format!("loss_{}", i + 1), loss)?;
        }
        store.keep("weights", &mut weights[..])
    }
}

/// An expert, with the key that separates its draws from those of the others.
struct Expert {
    key: u64,
    learner: Box<dyn Learner>,
}

/// The mixture. A round costs the sum of the K experts' rounds plus O(K).
pub struct Mixture {
    experts: Vec<Expert>,
    weights: Weights,
    /// The forecasts of the experts at the input of the last prediction. Learning from that input must use these same
    /// forecasts, which may be random. Invisible from outside.
    said: RefCell<Said>,
}

#[derive(Default)]
struct Said {
    x: Vec<f64>,
    forecasts: Vec<f64>,
}

impl Mixture {
    /// A mixture of experts that have seen nothing, each with the key of its draws; `bound` > 0 is B.
    pub fn new(experts: Vec<(u64, Box<dyn Learner>)>, rule: Rule, bound: f64) -> Self {
        let weights = Weights::new(rule, bound, experts.len());
        let experts = experts.into_iter().map(|(key, learner)| Expert { key, learner }).collect();
        Self { experts, weights, said: RefCell::default() }
    }

    /// Applies `act` to every expert, until one breaks down.
    fn each(&mut self, mut act: impl FnMut(&mut Expert) -> Result<(), Breakdown>) -> Result<(), Breakdown> {
        let of = self.experts.len();
        self.experts.iter_mut().enumerate().try_for_each(|(i, expert)| act(expert).map_err(|why| named(why, i, of)))
    }

    /// Asks the experts for their forecasts.
    fn ask(&self, x: &[f64], draw: &Draw, said: &mut Said) {
        said.x.clear();
        said.x.extend_from_slice(x);
        said.forecasts.clear();
        said.forecasts.extend(self.experts.iter().map(|one| one.learner.predict(x, &mut draw.of(one.key))));
    }
}

/// Names the expert that broke down.
fn named(breakdown: Breakdown, index: usize, of: usize) -> Breakdown {
    Breakdown { cause: format!("expert {} of {of}: {}", index + 1, breakdown.cause), ..breakdown }
}

impl Hypothesis for Mixture {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let said = &mut *self.said.borrow_mut();
        self.ask(x, draw, said);
        self.weights.forecast(said.forecasts.iter().copied())
    }

    /// Points and features are those of the expert with the most, because experts keep points of the same rounds;
    /// evaluations and bytes are sums.
    fn gauges(&self) -> Gauges {
        let all = || self.experts.iter().map(|one| one.learner.gauges());
        let most = |of: fn(&Gauges) -> Option<u64>| all().filter_map(|gauges| of(&gauges)).max();
        let sum = |of: fn(&Gauges) -> Option<u64>| all().map(|gauges| of(&gauges)).sum::<Option<u64>>();
        let own = 40 * self.experts.len() as u64;
        let weights = self.weights.normalised();
        Gauges {
            stored_points: most(|gauges| gauges.stored_points),
            features: most(|gauges| gauges.features),
            kernel_evaluations: sum(|gauges| gauges.kernel_evaluations),
            state_bytes: sum(|gauges| gauges.state_bytes).map(|bytes| bytes + own),
            weights: std::array::from_fn(|k| weights.get(k).copied()),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { experts, weights, said: _ } = self;
        store.keep("mixture", weights)?;
        for (i, expert) in experts.iter_mut().enumerate() {
            store.within(&format!("expert_{}", i + 1), |store| expert.learner.state(store))?;
        }
        Ok(())
    }
}

impl Learner for Mixture {
    fn foresees(&self) -> bool {
        self.experts.iter().any(|one| one.learner.foresees())
    }

    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| match learner.foresees() {
            true => learner.foresee(inputs, &draws.of(*key)),
            false => Ok(()),
        })
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| learner.attend(x, &mut draw.of(*key)))
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let mut said = self.said.take();
        if said.x != x || said.forecasts.is_empty() {
            self.ask(x, draw, &mut said);
        }
        self.weights.learn(said.forecasts.iter().copied(), y);
        self.each(|Expert { key, learner }| learner.learn(x, y, &mut draw.of(*key)))
    }

    /// Every expert plays the block by itself, in its own block form; the mixture then goes through the rounds.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (rounds, of) = (block.targets.len(), self.experts.len());
        let mut forecasts = vec![f64::NAN; of * rounds];
        let mut end: Result<(), Breakdown> = Ok(());
        for (index, forecasts) in forecasts.chunks_mut(rounds.max(1)).enumerate() {
            let Expert { key, learner } = &mut self.experts[index];
            if let Err(breakdown) = learner.play(block, &draws.of(*key), forecasts)
                && end.as_ref().err().is_none_or(|first| breakdown.after < first.after)
            {
                end = Err(named(breakdown, index, of));
            }
        }
        let played = end.as_ref().err().map_or(rounds, |breakdown| breakdown.after.min(rounds));
        for (i, (prediction, &y)) in predictions.iter_mut().zip(block.targets).enumerate().take(played) {
            let said = forecasts.iter().skip(i).step_by(rounds).copied();
            *prediction = self.weights.forecast(said.clone());
            if !prediction.is_finite() {
                return Err(Breakdown::new(format!("the forecast of the mixture is {prediction}")))
                    .map_err(in_round(i));
            }
            self.weights.learn(said, y);
        }
        end
    }
}
