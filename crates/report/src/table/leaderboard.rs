//! Learners by dataset: final losses, and what each learner holds in memory for them; with seconds in a variant of
//! its own, because measured times do not repeat.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::analysis::blocks::{METHOD, in_file_order};
use crate::analysis::curve::{LongestRuns, longest_runs};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::summary::{LEVEL, MeanEstimate, ReplicateTally, estimate};
use crate::exhibit::ExhibitNeed;
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};
use crate::trace::cell::TraceRow;
use crate::trace::gauge::{FEATURES, Gauge, STATE_BYTES, STORED_POINTS};

pub(crate) static KIND: TableKind =
    TableKind::new("leaderboard", module_path!(), &[ExhibitNeed::Runs], |given| fill(given.experiments, false));

pub(crate) static TIMES: TableKind =
    TableKind::new("leaderboard-times", module_path!(), &[ExhibitNeed::Runs], |given| fill(given.experiments, true))
        .measured();

/// What a learner holds, as the table shows it.
const HELD: [Gauge; 2] = [STORED_POINTS, FEATURES];

/// One learner on one dataset.
struct LeaderboardEntry {
    stream: String,
    label: String,
    rounds: u64,
    tally: ReplicateTally,
    loss: Option<MeanEstimate>,
    error: Option<MeanEstimate>,
    /// The score of each replicate: its error rate where there is one, its loss otherwise.
    scores: Vec<(u64, f64)>,
    held: [TableCell; HELD.len()],
    /// Mean of the largest states, in bytes.
    peak: Option<f64>,
    seconds: Option<f64>,
}

impl LeaderboardEntry {
    /// What decides the order: the error rate where there is one.
    fn score(&self) -> Option<f64> {
        self.error.or(self.loss).map(|found| found.mean)
    }

    /// Whether the data do not tell it from the best one, which played as many rounds: the interval of the mean paired
    /// difference holds 0 or, where rows came in the order of their file, the intervals overlap.
    fn is_level_with(&self, best: &LeaderboardEntry) -> bool {
        let (Some(own), Some(other)) = (self.error.or(self.loss), best.error.or(best.loss)) else { return false };
        if self.rounds != best.rounds || self.stream != best.stream {
            return false;
        }
        let differences: Vec<f64> = self
            .scores
            .iter()
            .filter_map(|(replicate, score)| {
                let partner = best.scores.iter().find(|(other, _)| other == replicate)?;
                Some(score - partner.1)
            })
            .collect();
        match estimate(&differences) {
            Some(MeanEstimate { mean, half_width: Some(half_width), .. }) if differences.len() > 1 => {
                mean <= half_width
            }
            _ => match (own.half_width, other.half_width) {
                (Some(one), Some(two)) => own.mean - one <= other.mean + two,
                _ => false,
            },
        }
    }
}

fn fill(experiments: &[&ExperimentResults], times: bool) -> Filled {
    let mut columns = vec![
        Heading::new("dataset", "Dataset", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("rounds", "Rounds", CellKind::Count),
        Heading::of(&RunQuantity::AverageLoss, CellKind::Interval),
        Heading::of(&RunQuantity::ErrorRate, CellKind::Interval),
    ];
    columns.extend(HELD.map(Heading::gauge));
    columns.push(Heading::new("peak_bytes", "Peak state", CellKind::Bytes));
    if times {
        columns.push(Heading::new("cpu_seconds", &RunQuantity::ProcessorTime.title(), CellKind::Seconds));
    }
    columns.push(Heading::new("replicates", "Replicates", CellKind::Text));
    let mut rows = Vec::new();
    let mut incomplete = false;
    for experiment in experiments {
        let mut entries: Vec<LeaderboardEntry> = longest_runs(experiment).map(|runs| entry(&runs)).collect();
        entries.sort_by(|a, b| {
            let ahead = a.stream.cmp(&b.stream).then(b.rounds.cmp(&a.rounds));
            ahead.then(compare(a.score(), b.score())).then_with(|| a.label.cmp(&b.label))
        });
        for (index, entry) in entries.iter().enumerate() {
            incomplete |= !entry.tally.complete();
            // The first of each stream has the longest runs and among them the lowest score.
            let first = entries[..index].iter().position(|other| other.stream == entry.stream);
            let best = entry.score().is_some() && first.is_none_or(|first| entry.is_level_with(&entries[first]));
            rows.push(row(entry, best, times));
        }
    }
    let runs = experiments.iter().flat_map(|experiment| &experiment.runs);
    let mut sentences = vec![
        format!("Means over replicates \u{b1} half widths of {:.0} % t intervals over seeds.", 100.0 * LEVEL),
        "Peak state: the largest number of bytes that a learner's state holds at a recorded round.".into(),
        format!(
            "In bold: the best of the learners that played the most rounds, and those whose mean paired difference to it has a \
             {:.0} % t interval that holds 0; rows with fewer rounds are not comparable with it.",
            100.0 * LEVEL
        ),
    ];
    if runs.clone().any(|run| run.in_file_order) {
        sentences.push(format!("For rows in the order of their file, \u{b1} is {METHOD}."));
    }
    let told = runs.filter_map(|run| Some(format!("{} on {}: {}", run.label, run.stream, run.tuned.as_ref()?)));
    let told: BTreeSet<String> = told.collect();
    if !told.is_empty() {
        let told: Vec<String> = told.into_iter().collect();
        sentences.push(format!("Parameters chosen on other orders of the rows: {}.", told.join("; ")));
    }
    if incomplete {
        sentences.push(
            "Replicates that diverged or failed are left out of the means and counted in the last column.".into(),
        );
    }
    Filled { grid: TableGrid { columns, rows }, caption: vec![sentences.join(" ")] }
}

fn entry(runs: &LongestRuns<'_>) -> LeaderboardEntry {
    let &LongestRuns { experiment, rounds, tally, ref done, .. } = runs;
    let mean = |quantity: RunQuantity| runs.mean(&quantity);
    let scores = |quantity: RunQuantity| -> Vec<(u64, f64)> {
        done.iter().filter_map(|run| Some((run.replicate, quantity.at_end(experiment, run)?))).collect()
    };
    let (errors, losses) = (scores(RunQuantity::ErrorRate), scores(RunQuantity::AverageLoss));
    let along = |cumulative: fn(&TraceRow) -> Option<f64>| in_file_order(experiment, done, cumulative);
    LeaderboardEntry {
        stream: runs.stream.to_owned(),
        label: runs.label.to_owned(),
        rounds,
        tally,
        loss: along(|at| Some(at.cumulative_loss)).or_else(|| mean(RunQuantity::AverageLoss)),
        error: along(|at| at.cumulative_error).or_else(|| mean(RunQuantity::ErrorRate)),
        // Seeds of runs in the order of the file say nothing of other rows.
        scores: match (done.iter().any(|run| run.in_file_order), errors.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => losses,
            (false, false) => errors,
        },
        held: HELD.map(|gauge| TableCell::gauge(gauge, done)),
        peak: estimate(&done.iter().filter_map(|run| peak(experiment, run)).collect::<Vec<_>>())
            .map(|found| found.mean),
        seconds: mean(RunQuantity::ProcessorTime).map(|found| found.mean),
    }
}

/// The largest state of a run, in bytes: dictionaries that begin anew, and features that are chosen at first, hold less at
/// the end.
fn peak(experiment: &ExperimentResults, run: &RunResult) -> Option<f64> {
    let along = RunQuantity::Gauge(STATE_BYTES).along(experiment, run);
    let held = along.into_iter().map(|(_, bytes)| bytes).chain(run.gauges.number(STATE_BYTES));
    held.reduce(f64::max)
}

fn row(entry: &LeaderboardEntry, best: bool, times: bool) -> Vec<TableCell> {
    let interval =
        |found: Option<MeanEstimate>, best| found.map_or(TableCell::Empty, |found| TableCell::interval(found, best));
    let by_error = entry.error.is_some();
    let mut cells = vec![
        TableCell::Text(entry.stream.clone()),
        TableCell::Text(entry.label.clone()),
        TableCell::Count(entry.rounds),
        interval(entry.loss, best && !by_error),
        interval(entry.error, best && by_error),
    ];
    cells.extend(entry.held.clone());
    cells.push(entry.peak.map_or(TableCell::Empty, TableCell::Bytes));
    if times {
        cells.push(entry.seconds.map_or(TableCell::Empty, TableCell::Seconds));
    }
    let ReplicateTally { done, diverged, failed, .. } = entry.tally;
    let mut replicates = format!("{done}/{}", entry.tally.total());
    for (count, word) in [(diverged, "diverged"), (failed, "failed")] {
        if count > 0 {
            replicates += &format!(", {count} {word}");
        }
    }
    cells.push(TableCell::Text(replicates));
    cells
}

/// Lower first, nothing last.
fn compare(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (None, None) => Ordering::Equal,
        (a, _) => {
            if a.is_some() {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
    }
}
