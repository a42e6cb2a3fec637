//! Learners by dataset: final losses, and what each learner holds in memory for them; with seconds in a variant of
//! its own, because measured times do not repeat.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::analysis::blocks::{FileOrder, METHOD};
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
    /// The score along the rows, where they came in the order of their file: seeds say nothing of other rows.
    along: Option<FileOrder>,
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
    /// difference, over replicates or blocks of the same rows, holds 0.
    fn is_level_with(&self, best: &LeaderboardEntry) -> bool {
        if self.rounds != best.rounds || self.stream != best.stream || self.tally.diverged > 0 {
            return false;
        }
        let difference = match (&self.along, &best.along) {
            (Some(own), Some(other)) => own.minus(other),
            _ => {
                let partner = |replicate| best.scores.iter().find(|(other, _)| *other == replicate);
                let apart = |(replicate, score): &(u64, f64)| Some(score - partner(*replicate)?.1);
                estimate(&self.scores.iter().filter_map(apart).collect::<Vec<_>>())
            }
        };
        difference.is_some_and(|found| found.half_width.is_some_and(|half_width| found.mean <= half_width))
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
            // A mean over the replicates that went on is that of a choice.
            let broken = |one: &LeaderboardEntry| one.tally.diverged > 0;
            let ahead = a.stream.cmp(&b.stream).then(b.rounds.cmp(&a.rounds)).then(broken(a).cmp(&broken(b)));
            ahead.then(compare(a.score(), b.score())).then_with(|| a.label.cmp(&b.label))
        });
        for (index, entry) in entries.iter().enumerate() {
            incomplete |= !entry.tally.complete();
            // The first of each stream has the longest runs and among them the lowest score.
            let first = entries[..index].iter().position(|other| other.stream == entry.stream);
            let best = entry.score().is_some()
                && first.map_or(entry.tally.diverged == 0, |first| entry.is_level_with(&entries[first]));
            let others = experiments.iter().filter(|other| other.name != experiment.name);
            let several = others.flat_map(|other| &other.runs).any(|run| run.stream == entry.stream);
            let name = if several { format!("{}, {}", entry.stream, experiment.name) } else { entry.stream.clone() };
            rows.push(row(entry, name, best, times));
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
            "Replicates that diverged or failed are left out of the means and counted in the last column; a learner with one that \
             diverged stands last and is not in bold."
                .into(),
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
    let along = |cumulative: fn(&TraceRow) -> Option<f64>| FileOrder::of(experiment, done, cumulative);
    let (losses_along, errors_along) = (along(|at| Some(at.cumulative_loss)), along(|at| at.cumulative_error));
    let estimated = |along: &Option<FileOrder>| along.as_ref().and_then(FileOrder::estimate);
    LeaderboardEntry {
        stream: runs.stream.to_owned(),
        label: runs.label.to_owned(),
        rounds,
        tally,
        loss: estimated(&losses_along).or_else(|| mean(RunQuantity::AverageLoss)),
        error: estimated(&errors_along).or_else(|| mean(RunQuantity::ErrorRate)),
        // Seeds of rows in file order are no sample of these; without their traces, nothing is compared.
        scores: match done.iter().any(|run| run.in_file_order) {
            true => Vec::new(),
            false if errors.is_empty() => losses,
            false => errors,
        },
        along: errors_along.or(losses_along),
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

/// The cells of a learner on the stream `name`.
fn row(entry: &LeaderboardEntry, name: String, best: bool, times: bool) -> Vec<TableCell> {
    let interval =
        |found: Option<MeanEstimate>, best| found.map_or(TableCell::Empty, |found| TableCell::interval(found, best));
    let by_error = entry.error.is_some();
    let mut cells = vec![
        TableCell::Text(name),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::tests::run;
    use crate::figure::samples::experiment;
    use crate::trace::cell::EndStatus;

    /// A run of 200 rounds in the order of the file, whose losses follow the rows, and are `more` above these.
    fn played(label: &str, replicate: u64, more: f64, status: EndStatus) -> (RunResult, Vec<TraceRow>) {
        let mut total = 0.0;
        let rows = (1..=200u64).map(|t| {
            total += 10.0 + f64::from((t / 10 % 7) as u32) + more * (1.0 + 0.1 * f64::from((t % 3) as u32));
            TraceRow { t, cumulative_loss: total, ..TraceRow::default() }
        });
        let rows: Vec<TraceRow> = rows.collect();
        let average_loss = Some(total / 200.0);
        let own = run(label, replicate, 200);
        (RunResult { cumulative_loss: Some(total), average_loss, in_file_order: true, status, ..own }, rows)
    }

    fn bold(runs: Vec<(RunResult, Vec<TraceRow>)>) -> Vec<(String, bool)> {
        let data = experiment("e", runs);
        let rows = fill(&[&data], false).grid.rows;
        let told = |row: &Vec<TableCell>| match &row[1] {
            TableCell::Text(label) => (label.clone(), matches!(row[3], TableCell::Interval { best: true, .. })),
            other => panic!("{other:?}"),
        };
        rows.iter().map(told).collect()
    }

    /// The losses of both follow the rows, so that their intervals overlap widely; their difference does not hold 0.
    #[test]
    fn learners_on_the_same_rows_are_compared_in_pairs() {
        let done = EndStatus::Done;
        let found = bold(vec![played("a", 0, 0.0, done), played("b", 0, 0.1, done), played("c", 0, 0.0, done)]);
        let expected = [("a", true), ("c", true), ("b", false)].map(|(label, best)| (label.to_owned(), best));
        assert_eq!(found, expected);
    }

    /// Seeds of rows in the order of their file are no sample of these: without traces, nothing is in bold beside the best.
    #[test]
    fn rows_in_file_order_without_traces_are_not_compared() {
        let done = EndStatus::Done;
        let runs = [("a", 0, 0.0), ("a", 1, 0.0), ("b", 0, 0.1), ("b", 1, -0.09)];
        let runs = runs.map(|(label, replicate, more)| (played(label, replicate, more, done).0, Vec::new()));
        assert_eq!(bold(runs.into()), [("a".to_owned(), true), ("b".to_owned(), false)]);
    }

    #[test]
    fn streams_of_two_experiments_are_told_apart() {
        let all = ["e", "f"].map(|name| experiment(name, vec![played("a", 0, 0.0, EndStatus::Done)]));
        let rows = fill(&all.each_ref(), false).grid.rows;
        let names: Vec<String> = rows.iter().map(|row| row[0].text()).collect();
        assert_eq!(names, ["law, e", "law, f"]);
    }

    #[test]
    fn what_diverged_is_not_the_best() {
        let runs = vec![
            played("a", 0, 0.0, EndStatus::Done),
            played("a", 1, 0.0, EndStatus::Diverged),
            played("b", 0, 5.0, EndStatus::Done),
            played("b", 1, 5.0, EndStatus::Done),
        ];
        assert_eq!(bold(runs), [("b".to_owned(), true), ("a".to_owned(), false)]);
    }
}
