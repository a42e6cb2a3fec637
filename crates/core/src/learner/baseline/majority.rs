//! majority: the target that has occurred most often so far, and 0 in round 1. Of targets that have occurred equally
//! often it is the one that was the first to do so. With labels -1 and 1 this is the majority's label.

use std::collections::HashMap;

use crate::learner::api::LearnerEntry;
use crate::learner::baseline::blind::{self, TargetSummary};
use crate::learner::entry::learner;
use noregret_numeric::state::{State, StateError, Store};

/// How often each target has occurred, and the leader.
#[derive(Default)]
struct Majority {
    counts: HashMap<u64, u64>,
    leader: f64,
    votes: u64,
}

impl TargetSummary for Majority {
    fn value(&self) -> f64 {
        self.leader
    }

    fn learn(&mut self, y: f64, weight: f64) {
        // -0 and 0 are one target.
        let y = y + 0.0;
        let votes = self.counts.entry(y.to_bits()).or_default();
        *votes += weight as u64;
        if *votes > self.votes {
            (self.leader, self.votes) = (y, *votes);
        }
    }

    fn is_as_given(&self) -> bool {
        true
    }

    fn counts(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        16 * (self.counts.len() as u64 + 1)
    }
}

/// The targets in ascending order, with their counts.
impl State for Majority {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { counts, leader, votes } = self;
        store.keep("leader", leader)?;
        store.keep("votes", votes)?;
        let mut sorted: Vec<(f64, u64)> = counts.iter().map(|(bits, count)| (f64::from_bits(*bits), *count)).collect();
        sorted.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut targets: Vec<f64> = sorted.iter().map(|(target, _)| *target).collect();
        let mut numbers: Vec<usize> = sorted.iter().map(|(_, count)| *count as usize).collect();
        store.keep("targets", &mut targets)?;
        store.keep("counts", &mut numbers)?;
        store.check(targets.len() == numbers.len(), "has targets and counts of different numbers")?;
        *counts =
            targets.iter().map(|target| target.to_bits()).zip(numbers.iter().map(|count| *count as u64)).collect();
        Ok(())
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = the target that has occurred most often so far,   p_1 = 0
    /// ```
    ///
    /// ## Cost
    ///
    /// Nothing but a count for each distinct target.
    ///
    /// ## When to use it
    ///
    /// What any learner must beat where targets are classes.
    pub(crate) static ENTRY = LearnerEntry {
        name: "majority",
        summary: "baseline: predicts the target that has occurred most often so far",
        module: module_path!(),
        params: &[],
        build: blind::recipe::<Majority>(),
    };
}

#[cfg(test)]
mod tests {
    use super::Majority;
    use crate::learner::baseline::blind::tests::predictions;

    #[test]
    fn the_leader_stays_until_it_is_overtaken() {
        let targets = [-1.0, 1.0, 1.0, -1.0, -1.0, 0.0, -0.0, 0.0, 0.0];
        let expected = [0.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 0.0];
        assert_eq!(predictions(Majority::default(), &targets), expected);
    }
}
