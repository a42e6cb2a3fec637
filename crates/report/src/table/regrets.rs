//! Regrets by learner at the longest horizon, beside a bound: that of the run, where the learner computes one, or that of a
//! theorem, where a row of rates applies one.

use crate::analysis::curve::{LongestRuns, longest_runs};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::rate::assessment::{Assessment, MeasuredRate};
use crate::analysis::record::ExperimentResults;
use crate::analysis::summary::{LEVEL, MeanEstimate};
use crate::exhibit::ExhibitNeed;
use crate::rates::{citation, measured};
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("regrets", module_path!(), &[ExhibitNeed::Runs], |given| fill(given.experiments));

/// With the bounds of theorems, from the rows of rates about the same runs.
pub(crate) static BOUNDED: TableKind =
    TableKind::new("bounded-regrets", module_path!(), &[ExhibitNeed::Runs, ExhibitNeed::Bounds], |given| {
        bounded(given.experiments, given.rates)
    });

/// The measures of learners with the sum of regrets that a theorem is about, and with its bound.
const SUM: &str = "largest_regret";
const BOUND: &str = "regret_bound";

fn fill(experiments: &[&ExperimentResults]) -> Filled {
    let columns = vec![
        Heading::new("stream", "Experiment", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("rounds", "Rounds", CellKind::Count),
        Heading::of(&RunQuantity::Regret, CellKind::Interval),
        Heading::new("largest", "Largest sum of regrets to a forecast", CellKind::Interval),
        Heading::new("bound", "Its bound", CellKind::Number),
        Heading::new("ratio", "Ratio", CellKind::Number),
        Heading::new("replicates", "Replicates", CellKind::Text),
    ];
    let mut rows = Vec::new();
    for experiment in experiments {
        for one in longest_runs(experiment) {
            let measure = |name: &str| one.mean(&RunQuantity::Measure(name.into()));
            let (largest, bound) = (measure(SUM), measure(BOUND));
            rows.push(vec![
                TableCell::Text(experiment.name.clone()),
                TableCell::Text(one.label.to_owned()),
                TableCell::Count(one.rounds),
                one.mean(&RunQuantity::Regret).into(),
                largest.into(),
                bound.map(|bound| bound.mean).into(),
                ratio(largest, bound.map(|bound| bound.mean)).into(),
                replicates(&one),
            ]);
        }
    }
    let caption = format!(
        "Means over replicates \u{b1} half widths of {:.0} % t intervals over seeds. Regret is to the comparator of the \
         experiment, such as the best forecast, the best convex combination, or the best sequence. The sum of regrets, in the form \
         that the learner uses (of the loss, or of its gradient), is that to the forecast for which it is largest; its bound is \
         that of the rule for this run, and holds on every sequence.",
        100.0 * LEVEL
    );
    Filled { grid: TableGrid { columns, rows }, caption: vec![caption] }
}

fn bounded(experiments: &[&ExperimentResults], rows: &[Assessment]) -> Filled {
    let columns = vec![
        Heading::new("stream", "Experiment", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("rounds", "Rounds", CellKind::Count),
        Heading::of(&RunQuantity::Regret, CellKind::Interval),
        Heading::new("bound", "Its bound", CellKind::Number),
        Heading::new("ratio", "Ratio", CellKind::Number),
        Heading::new("theorem", "Theorem", CellKind::Prose),
        Heading::new("replicates", "Replicates", CellKind::Text),
    ];
    let mut cells = Vec::new();
    for experiment in experiments {
        for one in longest_runs(experiment) {
            let about = |row: &&Assessment| {
                let stream = row.stream.as_ref().is_none_or(|stream| stream == one.stream);
                row.experiment == experiment.name && row.label == one.label && row.quantity == "regret" && stream
            };
            let row = rows.iter().find(about);
            let regret = one.mean(&RunQuantity::Regret);
            let bound = row.and_then(|row| bound_at(measured(row)?, one.rounds));
            cells.push(vec![
                TableCell::Text(experiment.name.clone()),
                TableCell::Text(one.label.to_owned()),
                TableCell::Count(one.rounds),
                regret.into(),
                bound.into(),
                ratio(regret, bound).into(),
                row.filter(|_| bound.is_some()).map_or(TableCell::Empty, |row| TableCell::Text(citation(row))),
                replicates(&one),
            ]);
        }
    }
    let caption = format!(
        "Means over replicates \u{b1} half widths of {:.0} % t intervals over seeds, at the longest horizon. The bound is that of \
         the theorem with the constants of these very runs, from its row of rates, where there is one; the table of bounds has \
         it at all horizons. The ratio is the mean regret over the bound. Empty: no row of rates applies a theorem to this learner.",
        100.0 * LEVEL
    );
    Filled { grid: TableGrid { columns, rows: cells }, caption: vec![caption] }
}

/// The mean over seeds of a row's bound at a horizon.
fn bound_at(found: &MeasuredRate, rounds: u64) -> Option<f64> {
    let at = found.sample.horizons.iter().position(|horizon| *horizon == rounds)?;
    let bounds = found.bounds.as_ref()?;
    Some(bounds.iter().map(|row| row[at]).sum::<f64>() / bounds.len() as f64)
}

/// How many replicates were played to the horizon.
fn replicates(one: &LongestRuns<'_>) -> TableCell {
    TableCell::Text(format!("{}/{}", one.tally.done, one.tally.total()))
}

/// A value over its bound; none below 0, where nothing is bounded.
fn ratio(value: Option<MeanEstimate>, bound: Option<f64>) -> Option<f64> {
    value.zip(bound).filter(|(value, _)| value.mean > 0.0).map(|(value, bound)| value.mean / bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::analysis::rate::assessment::Assessed;

    /// A bound stands beside the learner that its row is about, and nowhere else.
    #[test]
    fn a_bound_is_that_of_the_row_about_the_learner() {
        let mut assessed = assess(&row(ROW), Some(&experiment()), &[]);
        let Assessed::Measured(found) = &mut assessed.outcome else { panic!("nothing was measured") };
        let (seeds, horizons) = (found.sample.replicates.len(), found.sample.horizons.len());
        found.bounds = Some(vec![(1..=horizons).map(|at| 1e6 * at as f64).collect(); seeds]);
        let bounds = |label: &str| -> Vec<TableCell> {
            let row = Assessment { label: label.into(), ..assessed.clone() };
            bounded(&[&experiment()], &[row]).grid.rows.into_iter().map(|cells| cells[4].clone()).collect()
        };
        let known = bounds(&assessed.label);
        assert_eq!(
            known.iter().filter(|cell| **cell == TableCell::Number(1e6 * horizons as f64)).count(),
            1,
            "{known:?}"
        );
        assert!(bounds("another").iter().all(|cell| *cell == TableCell::Empty));
    }
}
