//! Exponential weights over the forecasts of learners: what [`crate::learner::combine::expert_mixture`] and
//! [`crate::learner::combine::discount_mixture`] share.
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

use crate::learner::api::{Block, Breakdown, Gauges, Hypothesis, Learner};
use crate::learner::combine::experts::{Experts, Keyed};
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::state::{State, StateError, Store};

shared! {
    /// B, the largest absolute value of a target; experts are clipped to [-B, B]
    BOUND = "bound": Kind::real(Range::POSITIVE) => Fallback::Required;
    /// mean of the experts with eta = 1/(8 B^2) (average), or substitution function of the aggregating algorithm with
    /// eta = 1/(2 B^2) (aggregating)
    RULE = "rule": Kind::Choice(&["average", "aggregating"]) => Fallback::Word("average");
}

/// How the forecasts of the experts are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixtureRule {
    /// Exponentially weighted average.
    Average,
    /// Aggregating algorithm.
    Aggregating,
}

impl MixtureRule {
    /// The value of [`RULE`].
    pub(crate) fn named(word: &str) -> Self {
        if word == "aggregating" { Self::Aggregating } else { Self::Average }
    }

    /// eta for targets in [-`bound`, `bound`].
    pub fn eta(self, bound: f64) -> f64 {
        match self {
            MixtureRule::Average => 1.0 / (8.0 * bound * bound),
            MixtureRule::Aggregating => 1.0 / (2.0 * bound * bound),
        }
    }
}

/// Weights of experts from their losses so far; see the module.
#[derive(Clone, Debug)]
pub struct ExpertWeights {
    rule: MixtureRule,
    bound: f64,
    losses: Vec<Sum>,
    /// exp(-eta (L_k - min L)).
    weights: Vec<f64>,
    /// The same before the last round, whose forecast was made with them.
    before: Vec<f64>,
}

impl ExpertWeights {
    /// Equal weights of `experts` >= 1 experts, for targets in [-`bound`, `bound`], `bound` > 0.
    pub fn new(rule: MixtureRule, bound: f64, experts: usize) -> Self {
        Self {
            rule,
            bound,
            losses: vec![Sum::default(); experts],
            weights: vec![1.0; experts],
            before: vec![1.0; experts],
        }
    }

    /// The weights of the next round, of sum 1.
    pub fn normalised(&self) -> Vec<f64> {
        normalised(&self.weights)
    }

    /// The forecast of the mixture from the experts' forecasts.
    pub fn forecast(&self, experts: impl Iterator<Item = f64> + Clone) -> f64 {
        let bound = self.bound;
        let clipped = experts.map(|value| value.clamp(-bound, bound));
        let total: f64 = self.weights.iter().sum();
        match self.rule {
            MixtureRule::Average => self.weights.iter().zip(clipped).map(|(weight, p)| weight * p).sum::<f64>() / total,
            MixtureRule::Aggregating => {
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
        self.before.copy_from_slice(&self.weights);
        let least = self.losses.iter().map(Sum::value).fold(f64::INFINITY, f64::min);
        let eta = self.rule.eta(self.bound);
        for (weight, loss) in self.weights.iter_mut().zip(&self.losses) {
            *weight = (-eta * (loss.value() - least)).exp();
        }
    }
}

/// The same weights with sum 1.
fn normalised(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

impl State for ExpertWeights {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { rule: _, bound: _, losses, weights, before } = self;
        for (i, loss) in losses.iter_mut().enumerate() {
            store.keep(&format!("loss_{}", i + 1), loss)?;
        }
        store.keep("weights", &mut weights[..])?;
        store.keep("before", &mut before[..])
    }
}

/// The mixture. A round costs the sum of the K experts' rounds plus O(K).
pub struct Mixture {
    experts: Experts,
    weights: ExpertWeights,
}

impl Mixture {
    /// A mixture of experts that have seen nothing, each with the key of its draws; `bound` > 0 is B.
    pub(crate) fn new(experts: Vec<Keyed>, rule: MixtureRule, bound: f64) -> Self {
        let weights = ExpertWeights::new(rule, bound, experts.len());
        Self { experts: Experts::new(experts), weights }
    }
}

impl Hypothesis for Mixture {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.experts.predict(x, draw, |said| self.weights.forecast(said.iter().copied()))
    }

    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        self.experts.context(x, draw)
    }

    fn gauges(&self) -> Gauges {
        let own = 40 * self.experts.count() as u64;
        let weights = normalised(&self.weights.before);
        Gauges { weights: std::array::from_fn(|k| weights.get(k).copied()), ..self.experts.gauges(own) }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { experts, weights } = self;
        store.keep("mixture", weights)?;
        experts.state(store)
    }
}

impl Learner for Mixture {
    fn foresees(&self) -> bool {
        self.experts.foresees()
    }

    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.experts.foresee(inputs, draws)
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.experts.attend(x, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let Self { experts, weights } = self;
        experts.learn((x, weight), y, draw, |said| {
            weights.learn(said.iter().copied(), y);
            Ok(())
        })
    }

    /// Losses are those of the forecasts that were made.
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], draws: &Draws) -> Result<(), Breakdown> {
        let Self { experts, weights } = self;
        let weighed = experts.learn_late(row, context, draws, |said| {
            weights.learn(said.iter().copied(), row.targets[0]);
            Ok(())
        })?;
        if weighed { Ok(()) } else { self.play(row, draws, &mut [f64::NAN]) }
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Self { experts, weights } = self;
        experts.play(block, draws, |i, said| {
            let forecast = weights.forecast(said.iter().copied());
            if !forecast.is_finite() {
                return Err(Breakdown::new(format!("the forecast of the mixture is {forecast}")));
            }
            predictions[i] = forecast;
            weights.learn(said.iter().copied(), block.targets[i]);
            Ok(())
        })
    }
}
