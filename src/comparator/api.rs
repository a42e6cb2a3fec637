//! What a comparator is.

use crate::linalg::matrix::Rows;

/// The best fixed predictor in hindsight that regret is measured against.
pub trait Comparator: Send + Sync {
    /// Solves for the examples up to the horizon, to a tolerance far below any regret of interest.
    ///
    /// # Errors
    /// A sentence, where the problem cannot be solved (a kernel matrix that is not positive semidefinite).
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, String>;
}

/// The best fixed predictor's loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// Its sum of squared errors over the examples.
    pub loss: f64,
    /// What it minimised: the loss, plus a penalty where the comparator has one. Regret is measured against this.
    pub objective: f64,
    /// Its norm in its space.
    pub norm: f64,
}
