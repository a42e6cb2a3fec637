//! Hand-made results for the tests of the kinds.

use crate::analysis::record::{ExperimentResults, RunResult, tests};
use crate::trace::cell::TraceRow;
use crate::trace::gauge::{Amount, GaugeValues, QUERIES};

/// A completed run with this regret, which asked for `queries` copies in each round; every round is in its trace.
pub(crate) fn run(
    label: &str,
    horizon: u64,
    replicate: u64,
    regret: f64,
    queries: &[u64],
) -> (RunResult, Vec<TraceRow>) {
    let mut asked = 0;
    let rows = (1..=horizon).map(|t| {
        asked += queries[(t - 1) as usize % queries.len()];
        let gauges = GaugeValues::default().with(QUERIES, Some(Amount::Count(asked)));
        TraceRow { t, cumulative_loss: 1.0 + regret, gauges, ..TraceRow::default() }
    });
    let rows: Vec<TraceRow> = rows.collect();
    let run = RunResult {
        cumulative_loss: Some(1.0 + regret),
        comparator_loss: Some(1.0),
        gauges: GaugeValues::default().with(QUERIES, Some(Amount::Count(asked))),
        ..tests::run(label, replicate, horizon)
    };
    (run, rows)
}

/// An experiment of such runs.
pub(crate) fn experiment(name: &str, runs: Vec<(RunResult, Vec<TraceRow>)>) -> ExperimentResults {
    let checkpoints = runs.iter().map(|(run, rows)| (run.run_id.clone(), rows.clone())).collect();
    let runs = runs.into_iter().map(|(run, _)| run).collect();
    ExperimentResults { name: name.into(), runs, checkpoints, ..ExperimentResults::default() }
}

/// The text of a figure's file of some kind, with its experiments and options.
pub(crate) fn specification(kind: &str, experiments: &str, options: &str) -> String {
    format!(
        "kind = '{kind}'\npaper = 'noisy-data'\nexperiments = {experiments}\ntitle = ''\nx = ''\ny = ''\nshows = ''\n[options]\n{options}"
    )
}
