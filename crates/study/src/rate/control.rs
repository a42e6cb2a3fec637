//! The runs of a negative control.

use crate::comparator::problems;
use crate::config::experiment::Experiment;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::rate::row::RateRow;

/// The runs of the row `of` alone, as an experiment of their own.
///
/// # Errors
/// If `experiment` has no such run, or chooses the parameters of one: a control has those that its row says.
pub(crate) fn control(mut experiment: Experiment, of: &RateRow) -> Result<Experiment, String> {
    experiment.design.name.clone_from(&of.experiment);
    let streams = &experiment.design.streams;
    experiment.cells.retain(|cell| {
        let stream = streams[cell.stream].name();
        let wanted = *cell.label == *of.label && of.stream.as_deref().is_none_or(|name| name == stream);
        wanted && of.horizons.contains(&cell.horizon)
    });
    experiment.comparison = experiment.comparison.filter(|_| of.quantity == RunQuantity::Regret);
    experiment.problems = problems(&experiment.cells);
    let chosen = experiment.choices.drain(..).any(|choice| *choice.label == *of.label);
    experiment.open.clear();
    match (experiment.cells.is_empty(), chosen) {
        (false, false) => Ok(experiment),
        (true, _) => Err(format!("`{}` has no run at these horizons", of.label)),
        (_, true) => Err(format!("`{}` chooses its parameters, so that nothing can be broken", of.label)),
    }
}
