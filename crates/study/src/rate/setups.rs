//! How the runs of a row of rates were configured.

use crate::config::experiment::Experiment;
use noregret_core::protocol::cell::Cell;
use noregret_report::analysis::rate::row::RateRow;
use noregret_report::analysis::rate::setup::Setup;

/// One cell of each label and horizon that a row reads.
pub(super) fn cells<'a>(row: &RateRow, experiment: &'a Experiment) -> Vec<&'a Cell> {
    let mut cells = Vec::<&Cell>::new();
    for cell in &experiment.cells {
        let named = *cell.label == *row.label || row.control.as_deref() == Some(&*cell.label);
        let stream = experiment.design.streams[cell.stream].name();
        let wanted =
            named && row.stream.as_deref().is_none_or(|name| name == stream) && row.horizons.contains(&cell.horizon);
        let known = |other: &&Cell| other.label == cell.label && other.horizon == cell.horizon;
        if wanted && !cells.iter().any(known) {
            cells.push(cell);
        }
    }
    cells
}

/// How the runs of a row were configured.
pub(super) fn setups<'a>(row: &RateRow, experiment: &'a Experiment) -> Vec<Setup<'a>> {
    let setup = |cell: &'a Cell| Setup {
        label: &cell.label,
        horizon: cell.horizon,
        learner: cell.learner.name,
        params: &cell.params,
        stream: &experiment.design.streams[cell.stream],
        loss: &*experiment.design.loss.object,
        comparator: experiment.comparison.as_ref().and_then(|one| Some((one.entry.name, one.at(cell.horizon).ok()?))),
    };
    cells(row, experiment).into_iter().map(setup).collect()
}
