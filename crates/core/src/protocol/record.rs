//! The record of a run.

use std::collections::BTreeMap;

use crate::learner::api::Gauges;
use crate::protocol::clock::Spent;

/// A run as it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// How it ended.
    pub status: RunStatus,
    /// Rounds with a valid prediction; fewer than the horizon if the learner diverged or the source ended.
    pub rounds: u64,
    /// The checkpoints, ascending in `t`. The last is at `rounds`; there are none if that is 0.
    pub checkpoints: Vec<Checkpoint>,
    /// Measures of the final hypothesis, by name; see [`crate::protocol::score`]. Empty unless all rounds were played.
    pub measures: BTreeMap<String, f64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// All rounds were played.
    Done,
    /// The learner could not go on.
    Diverged {
        /// The first round without a valid prediction: `rounds` + 1.
        round: u64,
        /// What happened, in words.
        cause: String,
    },
}

/// The state of a run after round `t`.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Rounds played.
    pub t: u64,
    /// Sum of the losses of rounds 1..t, compensated.
    pub cumulative_loss: f64,
    /// Number of predictions with the wrong sign, where a prediction of 0 counts 1/2; for runs whose targets are all -1
    /// or +1.
    pub cumulative_error: Option<f64>,
    /// Loss of the best fixed predictor of rounds 1..t, if an adversary computes it.
    pub comparator_loss: Option<f64>,
    /// What the learner held and had spent; empty if the learner diverged here.
    pub gauges: Gauges,
    /// Noisy copies asked for so far, of inputs and targets together; noisy protocol only.
    pub queries: Option<u64>,
    /// Processor time that the playing thread spent in the learner, in nanoseconds.
    pub cpu_ns: u64,
    /// Elapsed time spent in the learner, in nanoseconds.
    pub wall_ns: u64,
}

impl RunRecord {
    /// All the time that the learner took.
    pub fn spent(&self) -> Spent {
        self.checkpoints.last().map(|at| Spent { cpu_ns: at.cpu_ns, wall_ns: at.wall_ns }).unwrap_or_default()
    }
}
