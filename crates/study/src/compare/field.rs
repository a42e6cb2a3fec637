//! What a run of a setting is, and who plays it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::compare::crew::Leash;
use crate::compare::metric::Sums;

/// How many parts each half of the rows has, at whose ends sums are kept.
const PARTS: u64 = 40;

/// A run: a setting under a seed, for the first so many rows.
#[derive(Clone, Debug)]
pub struct Run {
    /// The setting, by number.
    pub setting: usize,
    /// Which of the seeds, from 0.
    pub seed: u32,
    /// How many rows.
    pub rows: u64,
    /// The rounds after which sums are kept, ascending.
    pub marks: Arc<[u64]>,
}

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Rounds that were played.
    pub rounds: u64,
    /// The sums over them.
    pub total: Sums,
    /// The sums up to some rounds.
    pub marks: Vec<(u64, Sums)>,
    /// What the learner holds.
    pub bytes: Option<f64>,
    /// Why the learner broke down, if it did.
    pub over: Option<String>,
    /// How long it took, in seconds: of processor time, or, for a process, of the clock. No result.
    #[serde(skip)]
    pub seconds: f64,
}

impl Played {
    /// The sums up to a round; none where they were not kept.
    pub(crate) fn at(&self, round: u64) -> Option<Sums> {
        let found = self.marks.iter().find(|(at, _)| *at == round).map(|(_, sums)| *sums);
        found.or((round == self.rounds).then_some(self.total))
    }
}

/// Plays runs.
pub trait Field: Send + Sync + 'static {
    /// Plays a run, asks the leash whether to go on, and tells it what it has come to.
    fn play(&self, run: &Run, leash: &Leash<Played>);

    /// Whether this run was played before, so that it takes no time.
    fn known(&self, run: &Run) -> bool {
        let _ = run;
        false
    }
}

/// The rounds at which runs over `rows` rows, an even number, keep their sums: the ends of parts of the two halves.
pub(crate) fn marks(rows: u64) -> Arc<[u64]> {
    let half = rows / 2;
    let mut all: Vec<u64> = (1..=2 * PARTS).map(|part| half * part / PARTS).filter(|round| *round > 0).collect();
    all.dedup();
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_end_at_marks() {
        for rows in [2, 10, 100, 442, 10_000_000] {
            let marks = marks(rows);
            assert!(marks.contains(&(rows / 2)) && marks.last() == Some(&rows), "{rows}");
            assert!(marks.windows(2).all(|pair| pair[0] < pair[1]) && marks.len() <= 80);
        }
        assert!(marks(0).is_empty());
    }
}
