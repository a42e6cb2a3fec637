//! Choices among settings of tuned learners.

use serde::Serialize;

use crate::compute::tuning::Score;

/// The choice that was made for one curve on one stream.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
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
    pub settings: Vec<Setting>,
    /// Which of them was chosen.
    pub chosen: usize,
}

/// A setting that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Its values: `eta = 0.2, rank = 50`.
    pub words: String,
    /// The parameters of which it is the smallest or the largest that was tried, in words.
    pub ends: Vec<String>,
    /// How it did; none if it broke down in a trial.
    pub score: Option<Score>,
}
