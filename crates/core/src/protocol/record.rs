//! The record of a run.

use std::collections::BTreeMap;

use crate::learner::api::{Gauges, WEIGHTS};
use noregret_numeric::state::{StateError, Store};

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
#[derive(Clone, Debug, Default, PartialEq)]
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

/// Saves or loads checkpoints, a column for each quantity; a column that may lack values has a second one, of those
/// that are there.
pub(crate) fn checkpoints_state(store: &mut Store, rows: &mut Vec<Checkpoint>) -> Result<(), StateError> {
    fn column(
        store: &mut Store,
        name: &str,
        rows: &mut [Checkpoint],
        value: impl Fn(&mut Checkpoint) -> &mut u64,
    ) -> Result<(), StateError> {
        store.within(name, |store| {
            let mut values: Vec<usize> = rows.iter_mut().map(|row| *value(row) as usize).collect();
            store.keep("values", &mut values)?;
            store.check(values.len() == rows.len(), "has another number of rows")?;
            rows.iter_mut().zip(values).for_each(|(row, found)| *value(row) = found as u64);
            Ok(())
        })
    }
    fn optional<T: Copy>(
        store: &mut Store,
        name: &str,
        rows: &mut [Checkpoint],
        value: impl Fn(&mut Checkpoint) -> &mut Option<T>,
        to: fn(T) -> f64,
        from: fn(f64) -> T,
    ) -> Result<(), StateError> {
        store.within(name, |store| {
            let found: Vec<Option<f64>> = rows.iter_mut().map(|row| value(row).map(to)).collect();
            let mut there: Vec<bool> = found.iter().map(Option::is_some).collect();
            let mut values: Vec<f64> = found.iter().map(|found| found.unwrap_or(0.0)).collect();
            store.keep("there", &mut there)?;
            store.keep("values", &mut values)?;
            let fits = there.len() == rows.len() && values.len() == rows.len();
            store.check(fits, "has another number of rows")?;
            let found = there.into_iter().zip(values).map(|(there, found)| there.then(|| from(found)));
            rows.iter_mut().zip(found).for_each(|(row, found)| *value(row) = found);
            Ok(())
        })
    }
    let mut losses: Vec<f64> = rows.iter().map(|row| row.cumulative_loss).collect();
    store.keep("cumulative_loss", &mut losses)?;
    rows.resize(losses.len(), Checkpoint::default());
    rows.iter_mut().zip(losses).for_each(|(row, loss)| row.cumulative_loss = loss);
    column(store, "t", rows, |row| &mut row.t)?;
    column(store, "cpu_ns", rows, |row| &mut row.cpu_ns)?;
    column(store, "wall_ns", rows, |row| &mut row.wall_ns)?;
    let (same, up, down) = (|value: f64| value, |value: u64| value as f64, |value: f64| value as u64);
    optional(store, "cumulative_error", rows, |row| &mut row.cumulative_error, same, same)?;
    optional(store, "comparator_loss", rows, |row| &mut row.comparator_loss, same, same)?;
    optional(store, "queries", rows, |row| &mut row.queries, up, down)?;
    optional(store, "norm", rows, |row| &mut row.gauges.norm, same, same)?;
    optional(store, "stored_points", rows, |row| &mut row.gauges.stored_points, up, down)?;
    optional(store, "features", rows, |row| &mut row.gauges.features, up, down)?;
    optional(store, "kernel_evaluations", rows, |row| &mut row.gauges.kernel_evaluations, up, down)?;
    optional(store, "state_bytes", rows, |row| &mut row.gauges.state_bytes, up, down)?;
    optional(store, "lower", rows, |row| &mut row.gauges.lower, same, same)?;
    optional(store, "upper", rows, |row| &mut row.gauges.upper, same, same)?;
    optional(store, "deviation", rows, |row| &mut row.gauges.deviation, same, same)?;
    optional(store, "log_loss", rows, |row| &mut row.gauges.log_loss, same, same)?;
    optional(store, "missed", rows, |row| &mut row.gauges.missed, up, down)?;
    (0..WEIGHTS).try_for_each(|k| {
        optional(store, &format!("weight_{}", k + 1), rows, |row| &mut row.gauges.weights[k], same, same)
    })
}
