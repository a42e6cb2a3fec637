//! law: the function, or the path of functions, that a synthetic law's targets scatter around.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::loss::api::Loss;
use crate::stream::api::Source;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::matrix::Rows;

/// Registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "law",
    summary: "the function that targets scatter around, round by round: their mean given the inputs before any corruption, for laws that know it (kernel-function, switching-function, rotating-function)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Box::new(LawMean)),
};

struct LawMean;

impl Comparator for LawMean {
    fn solve(&self, _: Rows<'_>, _: &[f64]) -> Result<Best, ComparatorError> {
        Err(ComparatorError::NoMean)
    }

    fn accepts(&self, _: &dyn Loss) -> Result<(), String> {
        Ok(())
    }

    fn solve_on(
        &self,
        loss: &dyn Loss,
        source: &dyn Source,
        draws: &Draws,
        inputs: Rows<'_>,
        targets: &[f64],
    ) -> Option<Result<Best, ComparatorError>> {
        let rounds = (1u64..).zip(inputs.iter()).zip(targets);
        let losses = rounds.map(|((round, x), y)| source.mean(round, draws, x).map(|mean| loss.of(mean, *y)));
        let total = losses.sum::<Option<f64>>();
        Some(total.map(Best::of).ok_or(ComparatorError::NoMean))
    }

    fn cost(&self, rounds: u64, _: usize) -> (f64, f64) {
        (1000.0 * rounds as f64, 8.0 * rounds as f64)
    }
}
