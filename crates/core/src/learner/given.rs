//! What a learner that sees scaled targets says of the rounds of a block, in the scale of the targets themselves.

use crate::learner::api::{Hypothesis, Interval};
use crate::learner::predictive::Predictive;

/// What was given in the rounds of a block.
#[derive(Debug)]
pub(crate) struct Given {
    /// The intervals.
    pub intervals: Vec<Interval>,
    /// What was known of the targets.
    pub predictives: Vec<Predictive>,
    /// Targets outside of their intervals so far.
    pub missed: u64,
    /// The ends of the last interval.
    pub last: [f64; 2],
}

impl Default for Given {
    fn default() -> Self {
        Self { intervals: Vec::new(), predictives: Vec::new(), missed: 0, last: [f64::NAN; 2] }
    }
}

impl Given {
    /// Begins a block.
    pub(crate) fn begin(&mut self) {
        self.intervals.clear();
        self.predictives.clear();
    }

    /// Takes note of what the learner has just given, where targets are `offset` + `factor` times those that it saw.
    pub(crate) fn note(&mut self, learner: &(impl Hypothesis + ?Sized), offset: f64, factor: f64) {
        for interval in learner.intervals() {
            let interval = interval.mapped(offset, factor);
            self.missed += u64::from(interval.missed == Some(true));
            self.last = [interval.lower, interval.upper];
            self.intervals.push(interval);
        }
        self.predictives.extend(learner.predictives().into_iter().flatten().map(|one| one.mapped(offset, factor)));
    }
}
