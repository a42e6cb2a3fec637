//! Choices among settings of tuned learners.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// The choice that was made for one curve on one stream.
#[derive(Clone, Debug, Serialize)]
pub struct TuningChoice {
    /// The experiment.
    pub experiment: String,
    /// The stream.
    pub stream: String,
    /// The label of the curve.
    pub label: String,
    /// The number of rounds of a trial.
    pub rounds: u64,
    /// On how many orders of the rows each setting was tried.
    pub orders: usize,
    /// The settings, in the order in which they were tried.
    pub settings: Vec<TunedSetting>,
    /// Which of them was chosen.
    pub chosen: usize,
}

/// A setting that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct TunedSetting {
    /// Its values: `eta = 0.2, rank = 50`.
    pub words: String,
    /// The parameters of which it is the smallest or the largest that was tried, in words.
    pub ends: Vec<String>,
    /// How it did; none if it broke down in a trial.
    pub score: Option<Score>,
}

/// How a candidate did, on average over its trials. Lower is better; earlier numbers count before later ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The mean squared error on clean held-out rows, where the experiment holds out any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_loss: Option<f64>,
    /// The share of wrong signs, where targets are classes.
    pub error_rate: Option<f64>,
    /// The average loss.
    pub average_loss: f64,
}

impl Score {
    /// Which of two comes first.
    pub fn order(&self, other: &Self) -> Ordering {
        let numbers = |score: &Self| [score.test_loss, score.error_rate, Some(score.average_loss)];
        let pairs = numbers(self).into_iter().flatten().zip(numbers(other).into_iter().flatten());
        pairs.map(|(one, other)| one.total_cmp(&other)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// The number that counts first, and what it is.
    pub(crate) fn first(&self) -> (f64, &'static str) {
        match (self.test_loss, self.error_rate) {
            (Some(error), _) => (error, "mean squared error on clean held-out rows"),
            (None, Some(rate)) => (rate, "error rate"),
            (None, None) => (self.average_loss, "average loss"),
        }
    }
}
