//! best-shifts: the least loss of a sequence of forecasts with few changes, where the inputs are forecasts.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::comparator::experts::best_sequences;
use crate::loss::api::Loss;
use crate::loss::squared::Squared;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use noregret_numeric::linalg::matrix::Rows;

parameters! {
    /// Parameters of `best-shifts`.
    pub struct BestShiftsParams {
        /// m: how often the sequence may change
        shifts: u64 = Kind::integer(0, 1_000_000) => Fallback::Integer(4);
    }
}

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "best-shifts",
    summary: "the least sum of l(f_k(t), y_t) over sequences k(t) of input columns with at most m changes, where these are forecasts",
    module: module_path!(),
    params: BestShiftsParams::SPECS,
    build: |params| Ok(Box::new(BestShifts(BestShiftsParams::read(params).shifts as usize))),
};

/// With at most so many changes.
pub(crate) struct BestShifts(pub(crate) usize);

impl Comparator for BestShifts {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        self.solve_for(&Squared, inputs, targets)
    }

    fn accepts(&self, _: &dyn Loss) -> Result<(), String> {
        Ok(())
    }

    fn solve_for(&self, loss: &dyn Loss, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        // More changes than rounds change nothing.
        let shifts = self.0.min(targets.len());
        let loss = best_sequences(inputs, targets, loss, shifts)?.last().copied().unwrap_or(f64::INFINITY);
        // Infinite where every choice meets an absent forecast.
        Ok(Best::of(loss))
    }

    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let states = dim as f64 * (self.0 + 1) as f64;
        (4.0 * rounds as f64 * states, 8.0 * states)
    }
}
