//! The best fixed predictors in hindsight.

use std::collections::BTreeSet;

use noregret_core::protocol::cell::Cell;

use compute::Problem;

pub mod compute;
pub(crate) mod stage;

/// The problems that cells play, each once.
pub(crate) fn problems(cells: &[Cell]) -> Vec<Problem> {
    let problem = |cell: &Cell| Problem { stream: cell.stream, horizon: cell.horizon, replicate: cell.replicate };
    cells.iter().map(problem).collect::<BTreeSet<_>>().into_iter().collect()
}
