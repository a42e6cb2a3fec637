//! The runs of a negative control.

use crate::config::experiment::{Experiment, problems};
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::rate::row::RateRow;

/// The runs of the row `of` alone, as an experiment of their own; none where `experiment` has no such run.
pub(crate) fn control(mut experiment: Experiment, of: &RateRow) -> Option<Experiment> {
    experiment.design.name.clone_from(&of.experiment);
    let streams = &experiment.design.streams;
    experiment.cells.retain(|cell| {
        let stream = streams[cell.stream].name();
        let wanted = *cell.label == *of.label && of.stream.as_deref().is_none_or(|name| name == stream);
        wanted && of.horizons.contains(&cell.horizon)
    });
    experiment.comparison = experiment.comparison.filter(|_| of.quantity == RunQuantity::Regret);
    experiment.problems = problems(&experiment.cells);
    // A curve whose parameters are chosen has those of its first candidate.
    experiment.choices.clear();
    experiment.open.clear();
    (!experiment.cells.is_empty()).then_some(experiment)
}
