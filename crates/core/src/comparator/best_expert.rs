//! best-expert: the least loss of one forecast, where the inputs are forecasts.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::comparator::experts::best_sequences;
use crate::loss::api::Loss;
use crate::loss::squared::Squared;
use noregret_numeric::linalg::matrix::Rows;

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "best-expert",
    summary: "min_k sum l(f_k, y): the best input column, where these are forecasts",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Box::new(BestExpert)),
};

struct BestExpert;

impl Comparator for BestExpert {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        self.solve_for(&Squared, inputs, targets)
    }

    fn accepts(&self, _: &dyn Loss) -> Result<(), String> {
        Ok(())
    }

    fn solve_for(&self, loss: &dyn Loss, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let loss = best_sequences(inputs, targets, loss, 0)?.first().copied().unwrap_or(f64::INFINITY);
        // Infinite where every choice meets an absent forecast.
        Ok(Best::of(loss))
    }

    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        (4.0 * rounds as f64 * dim as f64, 8.0 * dim as f64)
    }
}
