//! Scores: the loss of each round, and the sums of losses.

use std::sync::Arc;

use crate::loss::api::Loss;
use crate::loss::squared::Squared;
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::state::{State, StateError, Store, keep};

/// The running totals of a run.
///
/// ```
/// use noregret_core::protocol::tally::Tally;
///
/// let mut tally = Tally::default(); // the squared loss
/// assert_eq!(tally.add(0.5, 1.0), Ok(0.25));
/// assert_eq!(tally.add(-0.5, 1.0), Ok(2.25));
/// assert_eq!((tally.loss(), tally.errors()), (2.5, Some(1.0)));
/// assert!(tally.add(f64::NAN, 1.0).is_err() && tally.rounds() == 2);
/// ```
#[derive(Clone, Debug)]
pub struct Tally {
    measure: Arc<dyn Loss>,
    rounds: u64,
    loss: Sum,
    errors: f64,
    other_targets: bool,
}

/// What is wrong with a prediction.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PredictionError {
    /// It is NaN or an infinity.
    #[error("the prediction is {0}")]
    NotFinite(f64),
    /// Its loss, or the sum of losses with it, is not finite.
    #[error("losses are too large: the prediction is {prediction:e}, the target {target:e}")]
    TooLarge { prediction: f64, target: f64 },
}

impl Default for Tally {
    /// Of the squared loss.
    fn default() -> Self {
        Self::new(Arc::new(Squared))
    }
}

impl Tally {
    /// No rounds yet; rounds will be measured by `loss`.
    pub fn new(measure: Arc<dyn Loss>) -> Self {
        Self { measure, rounds: 0, loss: Sum::default(), errors: 0.0, other_targets: false }
    }

    /// Counts one round; returns its loss.
    ///
    /// # Errors
    /// What is wrong with the prediction, if it, its loss or the sum of losses is not finite. The round is then not
    /// counted.
    pub fn add(&mut self, prediction: f64, target: f64) -> Result<f64, PredictionError> {
        if !prediction.is_finite() {
            return Err(PredictionError::NotFinite(prediction));
        }
        let loss = self.measure.of(prediction, target);
        let mut sum = self.loss;
        sum.add(loss);
        if !sum.value().is_finite() {
            return Err(PredictionError::TooLarge { prediction, target });
        }
        self.loss = sum;
        self.rounds += 1;
        self.other_targets |= target.abs() != 1.0;
        // 1 for the wrong sign, 1/2 for no sign.
        self.errors += match prediction * target {
            agreement if agreement > 0.0 => 0.0,
            agreement if agreement < 0.0 => 1.0,
            _ => 0.5,
        };
        Ok(loss)
    }

    /// Rounds counted.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Sum of the losses (compensated).
    pub fn loss(&self) -> f64 {
        self.loss.value()
    }

    /// Number of predictions with the wrong sign, where a prediction of 0 counts 1/2; `None` once a target was neither
    /// -1 nor +1.
    pub fn errors(&self) -> Option<f64> {
        (!self.other_targets).then_some(self.errors)
    }
}

impl State for Tally {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: rounds, loss, errors, other_targets; measure);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::exponential::ExponentialLoss;

    #[test]
    fn sums_losses_and_errors() {
        let mut tally = Tally::default();
        assert_eq!(tally.add(0.5, 1.0), Ok(0.25));
        assert_eq!(tally.add(-0.5, 1.0), Ok(2.25));
        assert_eq!(tally.add(0.0, -1.0), Ok(1.0));
        assert_eq!((tally.rounds(), tally.loss(), tally.errors()), (3, 3.5, Some(1.5)));
        assert_eq!(tally.add(2.0, 2.0), Ok(0.0));
        assert_eq!(tally.errors(), None);
    }

    #[test]
    fn another_loss() {
        let mut tally = Tally::new(Arc::new(ExponentialLoss));
        assert_eq!(tally.add(0.0, 1.0), Ok(1.0));
        assert_eq!(tally.add(2.0, -1.0), Ok(2f64.exp()));
        assert!(tally.add(-1e3, 1.0).is_err());
        assert_eq!((tally.rounds(), tally.errors()), (2, Some(1.5)));
    }

    #[test]
    fn tiny_predictions_keep_their_sign() {
        let mut tally = Tally::default();
        tally.add(1e-310, 1.0).unwrap();
        tally.add(-1e-310, 1.0).unwrap();
        assert_eq!(tally.errors(), Some(1.0));
    }

    #[test]
    fn what_is_not_finite_is_not_counted() {
        let mut tally = Tally::default();
        tally.add(0.0, 1.0).unwrap();
        for prediction in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200] {
            assert!(tally.add(prediction, 1.0).is_err());
        }
        assert_eq!((tally.rounds(), tally.loss()), (1, 1.0));
    }
}
