//! majority: the target that has occurred most often so far, and 0 in round 1. Of targets that have occurred equally
//! often it is the one that was the first to do so. With labels -1 and 1 this is the majority's label.

use std::collections::HashMap;

use crate::learner::api::LearnerEntry;
use crate::learner::blind::{self, Rule};

/// How often each target has occurred, and the leader.
#[derive(Default)]
struct Majority {
    counts: HashMap<u64, u64>,
    leader: f64,
    votes: u64,
}

impl Rule for Majority {
    fn value(&self) -> f64 {
        self.leader
    }

    fn learn(&mut self, y: f64) {
        // -0 and 0 are one target.
        let y = y + 0.0;
        let votes = self.counts.entry(y.to_bits()).or_default();
        *votes += 1;
        if *votes > self.votes {
            (self.leader, self.votes) = (y, *votes);
        }
    }

    fn bytes(&self) -> u64 {
        16 * (self.counts.len() as u64 + 1)
    }
}

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "majority",
    summary: "baseline: predicts the target that has occurred most often so far",
    module: module_path!(),
    params: &[],
    build: blind::recipe::<Majority>(),
};

#[cfg(test)]
mod tests {
    use super::Majority;
    use crate::learner::blind::tests::predictions;

    #[test]
    fn the_leader_stays_until_it_is_overtaken() {
        let targets = [-1.0, 1.0, 1.0, -1.0, -1.0, 0.0, -0.0, 0.0, 0.0];
        let expected = [0.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 0.0];
        assert_eq!(predictions(Majority::default(), &targets), expected);
    }
}
