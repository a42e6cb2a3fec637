//! last-value: p_t = y_{t-1}, and 0 in round 1.

use crate::learner::api::LearnerEntry;
use crate::learner::baseline::blind::{self, TargetSummary};
use crate::learner::entry::learner;
use noregret_numeric::state::{State, StateError, Store};

/// The last target.
#[derive(Default)]
struct LastValue(f64);

impl TargetSummary for LastValue {
    fn value(&self) -> f64 {
        self.0
    }

    fn learn(&mut self, y: f64, _: f64) {
        self.0 = y;
    }
}

impl State for LastValue {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("value", &mut self.0)
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = y_{t-1},   p_1 = 0
    /// ```
    ///
    /// ## Cost
    ///
    /// Nothing.
    ///
    /// ## When to use it
    ///
    /// What any learner must beat on a time series.
    pub(crate) static ENTRY = LearnerEntry {
        name: "last-value",
        summary: "baseline: predicts the target of the round before",
        module: module_path!(),
        params: &[],
        build: blind::recipe::<LastValue>(),
    };
}

#[cfg(test)]
mod tests {
    use super::LastValue;
    use crate::learner::baseline::blind::tests::predictions;

    #[test]
    fn it_lags_by_one_round() {
        assert_eq!(predictions(LastValue::default(), &[4.0, 0.5]), [0.0, 4.0, 0.5]);
    }
}
