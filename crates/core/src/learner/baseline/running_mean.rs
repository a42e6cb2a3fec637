//! running-mean: p_t = (y_1 + ... + y_{t-1}) / (t - 1), and 0 in round 1; online gradient descent on the square loss of a
//! constant, with steps 1/(2t).

use crate::learner::api::LearnerEntry;
use crate::learner::baseline::blind::{self, TargetSummary};
use crate::learner::entry::learner;
use noregret_numeric::state::{State, StateError, Store, keep};

/// The mean of the targets so far.
#[derive(Default)]
struct RunningMean {
    mean: f64,
    rounds: f64,
}

impl TargetSummary for RunningMean {
    fn value(&self) -> f64 {
        self.mean
    }

    fn learn(&mut self, y: f64, weight: f64) {
        self.rounds += weight;
        // Both terms are finite, whatever the targets.
        self.mean += weight * (y / self.rounds) - weight * (self.mean / self.rounds);
    }

    fn bytes(&self) -> u64 {
        16
    }
}

impl State for RunningMean {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: mean, rounds);
        Ok(())
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = (y_1 + ... + y_{t-1}) / (t - 1),   p_1 = 0
    /// ```
    ///
    /// ## Cost
    ///
    /// Nothing.
    ///
    /// ## When to use it
    ///
    /// What any learner must beat where targets have a mean.
    pub(crate) static ENTRY = LearnerEntry {
        name: "running-mean",
        summary: "baseline: predicts the mean of the targets so far",
        module: module_path!(),
        params: &[],
        build: blind::recipe::<RunningMean>(),
    };
}

#[cfg(test)]
mod tests {
    use super::RunningMean;
    use crate::learner::baseline::blind::tests::predictions;

    #[test]
    fn means_of_what_came_before() {
        assert_eq!(predictions(RunningMean::default(), &[4.0, 0.0, -1.0]), [0.0, 4.0, 2.0, 1.0]);
        assert!(predictions(RunningMean::default(), &[f64::MAX, -f64::MAX, f64::MAX]).iter().all(|p| p.is_finite()));
    }
}
