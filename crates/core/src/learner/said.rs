//! What hypotheses say beside a prediction.

use noregret_numeric::linalg::matrix::Rows;

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
