//! How far ahead a learner forecasts, where a run has horizons (`--ahead`).

use crate::line::OutputLine;
use crate::metrics::{Metric, Scores};
use noregret_numeric::state::{State, StateError, Store, keep};

/// A horizon.
#[derive(Clone, Debug)]
pub(crate) struct Horizon {
    /// A row forecasts the target of the row `steps` - 1 rows after it.
    pub steps: u64,
    /// Metrics of the targets that had a forecast.
    pub(crate) scores: Scores,
    /// Rows without a target since the last one that had one.
    gap: u64,
}

impl Horizon {
    /// Before the first row.
    pub(crate) fn new(steps: u64, metrics: &[Metric]) -> Self {
        Self { steps, scores: Scores::new(metrics), gap: 0 }
    }

    /// Takes note of rows that were learnt after `before` others; `waiting` are the forecasts that wait then.
    pub(crate) fn learn(&mut self, lines: &mut [OutputLine], before: u64, waiting: &[f64]) {
        self.gap = 0;
        // What was forecast at the last rows is what is predicted next, and then what waits.
        let all: Vec<f64> = lines.iter().map(|line| line.prediction).chain(waiting.iter().copied()).collect();
        for (number, (line, forecast)) in (before + 1..).zip(lines.iter_mut().zip(&all[waiting.len()..])) {
            line.forecast = Some(*forecast);
            line.early = number < self.steps;
            if let Some(target) = line.target.filter(|_| !line.early) {
                self.scores.add(line.prediction, target);
            }
        }
    }

    /// Takes note of a row without a target.
    pub(crate) fn pass(&mut self) {
        self.gap += 1;
    }

    /// For each of `count` forecasts that wait, oldest first, how many rows after the coming one its row is; None where that row
    /// has been there, without a target.
    pub(crate) fn rows_until(&self, count: usize) -> impl Iterator<Item = Option<u64>> + use<> {
        let (steps, known) = (self.steps, count as u64 + self.gap + 1);
        (0..count as u64).map(move |k| (steps + k).checked_sub(known))
    }

    /// `1 step ahead`, `24 steps ahead`.
    pub(crate) fn name(&self) -> String {
        format!("{} step{} ahead", self.steps, if self.steps == 1 { "" } else { "s" })
    }
}

impl State for Horizon {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: gap; steps, scores);
        Ok(())
    }
}
