//! KORS: which points of a stream enter a dictionary, by ridge leverage scores estimated from the dictionary itself.
//!
//! With S the diagonal matrix of the weights of the points in the dictionary I, and k the kernel values of x with them,
//!
//! ```text
//! rho = k(x, x) - k' S (S K_II S + mu I)^-1 S k,   tau = (1 + epsilon) rho / (rho + mu),   p = min(beta tau, 1),
//! ```
//!
//! which is the estimated leverage score of x with x itself in the dictionary at weight 1. A point enters with
//! probability p, at weight 1/sqrt(p).
//!
//! Source: D. Calandriello, A. Lazaric, M. Valko, ICML 2017.

use crate::learner::api::Breakdown;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::vector::squared_norm;
use noregret_numeric::state::{State, StateError, Store, keep};

/// Panel height of the factor.
const HEIGHT: usize = 64;

shared! {
    /// regularisation of the leverage scores by which points enter the dictionary
    MU = "mu": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// factor from leverage scores to probabilities (the theory asks for 12 log(n / delta))
    BETA = "beta": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// accuracy of the leverage scores, which are overestimated by the factor 1 + epsilon
    EPSILON = "epsilon": Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.5);
    /// weight of a point that entered with probability p: 1/sqrt(p) (theory), or 1/p as in the public code of
    /// Jezequel, Gaillard, Rudi 2019 (authors), which underestimates the scores
    WEIGHTS = "weights": Kind::Choice(&["theory", "authors"]) => Fallback::Word("theory");
}

/// The weight of a point that entered with probability p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleWeights {
    /// 1 / sqrt(p).
    Theory,
    /// 1 / p.
    Authors,
}

impl SampleWeights {
    /// The value of [`WEIGHTS`].
    pub(crate) fn of(word: &str) -> Self {
        if word == "authors" { Self::Authors } else { Self::Theory }
    }
}

/// The parameters of the sampler.
#[derive(Clone, Copy, Debug)]
pub struct SamplerParams {
    /// mu > 0.
    pub mu: f64,
    /// beta > 0.
    pub beta: f64,
    /// epsilon > 0.
    pub epsilon: f64,
    /// Weights of the points.
    pub weights: SampleWeights,
    /// No probability is below this (0 for KORS itself, gamma for Sketched-KONS).
    pub least: f64,
}

/// A forecast of how many points enter in n = `rounds` rounds: sqrt(n beta / mu), as on the papers' data.
pub(crate) fn expected_points(mu: f64, beta: f64, rounds: f64) -> f64 {
    (rounds * beta / mu).sqrt()
}

/// The sampler. It holds the weights and the factor L L' = S K_II S + mu I; its owner holds the points.
#[derive(Clone, Debug)]
pub struct Kors {
    rule: SamplerParams,
    weights: Vec<f64>,
    factor: Growing,
    /// L^-1 S k of the point that was offered last.
    row: Vec<f64>,
}

impl Kors {
    /// The sampler of an empty dictionary.
    pub fn new(rule: SamplerParams) -> Self {
        Self { rule, weights: Vec::new(), factor: Growing::new(HEIGHT, rule.mu), row: Vec::new() }
    }

    /// Number of points in the dictionary.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether the dictionary is empty.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Bytes of the state.
    pub(crate) fn bytes(&self) -> u64 {
        let m = self.len() as u64;
        8 * (m * (m + 1) / 2 + m)
    }

    /// The probability with which a point enters, whose kernel values are `kernel` with the dictionary and `own` with
    /// itself.
    ///
    /// # Errors
    /// If the kernel values are not finite.
    pub fn probability(&mut self, kernel: &[f64], own: f64) -> Result<f64, Breakdown> {
        self.row.clear();
        self.row.extend(kernel.iter().zip(&self.weights).map(|(value, weight)| value * weight));
        self.factor.solve(&mut self.row);
        self.chance(&self.row, own)
    }

    /// The probability with which a point enters that has L^-1 S k = `row` and kernel value `own` with itself.
    ///
    /// # Errors
    /// If the kernel values are not finite.
    pub(crate) fn chance(&self, row: &[f64], own: f64) -> Result<f64, Breakdown> {
        let left = own - squared_norm(row);
        if !left.is_finite() {
            let cause = format!("a leverage score is not finite: kernel value {own}, residual {left}");
            return Err(Breakdown::new(cause));
        }
        let rho = left.max(0.0);
        let score = (1.0 + self.rule.epsilon) * rho / (rho + self.rule.mu);
        Ok((self.rule.beta * score).min(1.0).max(self.rule.least))
    }

    /// Replaces the kernel values k of points with the dictionary, at the start of rows that are `stride` apart, by
    /// L^-1 S k, with the bits of [`probability`](Self::probability).
    pub(crate) fn explain_rows(&self, kernel: &mut [f64], stride: usize) {
        for row in kernel.chunks_exact_mut(stride.max(1)) {
            row.iter_mut().zip(&self.weights).for_each(|(value, weight)| *value *= weight);
        }
        self.factor.solve_each(kernel, stride);
    }

    /// The last entry of L^-1 S k for a point that has kernel value `value` with the last point of the dictionary, and
    /// `row` as its other entries.
    pub(crate) fn explain_last(&self, value: f64, row: &[f64]) -> f64 {
        let weight = self.weights.last().copied().unwrap_or_default();
        self.factor.solve_last(value * weight, row)
    }

    /// As [`accept`](Self::accept), for a point with this L^-1 S k.
    pub(crate) fn accept_explained(&mut self, row: &[f64], own: f64, probability: f64) {
        self.row.clear();
        self.row.extend_from_slice(row);
        self.accept(own, probability);
    }

    /// Adds the point for which [`probability`](Self::probability) was called last; its kernel value with itself is
    /// `own`.
    pub fn accept(&mut self, own: f64, probability: f64) {
        let weight = match self.rule.weights {
            SampleWeights::Theory => probability.sqrt().recip(),
            SampleWeights::Authors => probability.recip(),
        };
        self.row.iter_mut().for_each(|value| *value *= weight);
        let own = weight * weight * own + self.rule.mu;
        let pivot = self.factor.pivot(own, &self.row);
        self.factor.push(&self.row, own, pivot);
        self.weights.push(weight);
    }
}

impl State for Kors {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: weights, factor; rule, row);
        store.check(factor.len() == weights.len(), "has a factor and weights of different numbers of points")
    }
}
