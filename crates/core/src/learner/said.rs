//! What hypotheses say beside a prediction.

use crate::learner::predictive::Predictive;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::squared_norm;

/// An estimated value of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// The error that it exceeds with at most the promised probability.
    pub precision: f64,
    /// How many random draws it took.
    pub draws: u64,
}

/// What attending to an input may change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attended {
    /// The probability of the change. It happens if the first number that attending draws from [0, 1) is below it.
    pub probability: f64,
    /// The prediction after the change; without it, it is that of
    /// [`Hypothesis::predict`](crate::learner::api::Hypothesis::predict).
    pub prediction: f64,
}

/// A function f = sum_i a_i k(x_i, .) in the space of some kernel.
#[derive(Clone, Debug)]
pub struct Expanded<'a> {
    /// The points x_i, one per row.
    pub points: Rows<'a>,
    /// The coefficients a_i of the last iterate.
    pub coefficients: &'a [f64],
    /// The coefficients of the averaged iterate, where the learner has one.
    pub averaged: Option<Vec<f64>>,
}

/// An interval for a target, which was given before the target was seen. Both ends are NaN where it contains nothing, and
/// infinite where it contains everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
    /// Whether the target lies outside, once it is known.
    pub missed: Option<bool>,
}

impl Interval {
    /// The same for `offset` + `factor` times the target; `factor` > 0.
    pub(crate) fn mapped(self, offset: f64, factor: f64) -> Self {
        let [lower, upper] = [self.lower, self.upper].map(|end| offset + factor * end);
        Self { lower, upper, ..self }
    }
}

/// What is said of a target before it is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Foretold {
    /// The forecast.
    pub prediction: f64,
    /// Its interval, for learners that give one.
    pub interval: Option<Interval>,
    /// What is known of the target, for learners that tell it.
    pub predictive: Option<Predictive>,
}

impl Foretold {
    /// The same of `offset` + `factor` times the target; `factor` > 0.
    pub(crate) fn mapped(self, offset: f64, factor: f64) -> Self {
        Self {
            prediction: offset + factor * self.prediction,
            interval: self.interval.map(|one| one.mapped(offset, factor)),
            predictive: self.predictive.map(|one| one.mapped(offset, factor)),
        }
    }
}

/// The storage and the computation that a learner has used; `None` where a quantity does not apply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gauges {
    /// Points kept from the stream (support points, dictionary).
    pub stored_points: Option<u64>,
    /// Dimension of an explicit feature space.
    pub features: Option<u64>,
    /// Kernel evaluations so far.
    pub kernel_evaluations: Option<u64>,
    /// Norm of the hypothesis in its space.
    pub norm: Option<f64>,
    /// Bytes of the state that grows or dominates (matrices, stored points).
    pub state_bytes: Option<u64>,
    /// Lower end of the interval for the target of the last round; none where it has no lower end, or contains nothing.
    pub lower: Option<f64>,
    /// Upper end of that interval.
    pub upper: Option<f64>,
    /// Targets outside of their intervals so far.
    pub missed: Option<u64>,
    /// Standard deviation of the target of the last round, as it was known before.
    pub deviation: Option<f64>,
    /// Sum of -ln of the densities of the targets so far.
    pub log_loss: Option<f64>,
    /// The weights of the first [`WEIGHTS`] forecasts of an aggregation in the last round, 0 for an absent one.
    pub weights: [Option<f64>; WEIGHTS],
}

impl Gauges {
    /// Those of a linear function of explicit features, of which nothing is held but these weights.
    pub(crate) fn of_weights(weights: &[f64]) -> Self {
        Self {
            features: Some(weights.len() as u64),
            norm: Some(squared_norm(weights).sqrt()),
            state_bytes: Some(8 * weights.len() as u64),
            ..Self::default()
        }
    }
}

/// How many weights of an aggregation are recorded.
pub const WEIGHTS: usize = 10;
