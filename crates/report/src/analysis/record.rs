//! The tables of one experiment as typed records.

use std::collections::BTreeMap;

use polars::prelude::DataFrame;

use crate::trace::cell::{EndStatus, TraceRow};
use crate::trace::gauge::{GaugeValues, rows_of};
use crate::trace::read::{TableReadError, counts, measure, numbers, run_columns, texts, trace_columns};
use crate::trace::schema::{MEASURE, ResultColumn, TIMES};

/// One row of the runs table; the columns are described in [`crate::trace::schema`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each field is the column of its name")]
pub struct RunResult {
    pub run_id: String,
    pub stream: String,
    pub learner: String,
    pub label: String,
    pub replicate: u64,
    pub horizon: u64,
    pub status: EndStatus,
    pub detail: Option<String>,
    pub rounds: u64,
    pub average_loss: Option<f64>,
    pub cumulative_loss: Option<f64>,
    pub cumulative_error: Option<f64>,
    pub comparator_loss: Option<f64>,
    /// At the last round.
    pub gauges: GaugeValues,
    /// Columns `m_*`, without the prefix.
    pub measures: BTreeMap<String, f64>,
    pub tuned: Option<String>,
    /// Whether rows came in the order of their file (column `p_stream_order`).
    pub in_file_order: bool,
    /// Columns `p_learner_*` and `p_stream_*` that hold numbers: the former without prefix, the latter as `stream_*`.
    pub parameters: BTreeMap<String, f64>,
}

/// How the details begin of a run that nobody tried, as the pipeline writes them: it was left out, or what it needs failed.
const UNTRIED: [&str; 2] = ["not made yet", "its input "];

impl RunResult {
    /// Whether nobody tried it. Tables call such a run failed, as they have no word for it.
    pub(crate) fn is_untried(&self) -> bool {
        let detail = self.detail.as_deref().unwrap_or_default();
        self.status == EndStatus::Failed && UNTRIED.iter().any(|words| detail.starts_with(words))
    }
}

/// Time spent up to a checkpoint, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSpent {
    /// Rounds played.
    pub t: u64,
    /// Processor time of rounds 1..t.
    pub cpu: f64,
    /// Elapsed time of rounds 1..t.
    pub wall: f64,
}

/// Everything that figures and tables know of one experiment.
#[derive(Clone, Debug, Default)]
pub struct ExperimentResults {
    /// Its name.
    pub name: String,
    /// Its runs, sorted by stream, label, horizon and replicate.
    pub runs: Vec<RunResult>,
    /// The checkpoints of each run, by run_id, in order of t.
    pub checkpoints: BTreeMap<String, Vec<TraceRow>>,
    /// The times of each run, by run_id, in order of t; empty where none were measured.
    pub times: BTreeMap<String, Vec<TimeSpent>>,
}

impl ExperimentResults {
    /// Reads the tables of experiment `name`: its runs, its traces and, for measured times, its timings.
    pub fn new(
        name: &str,
        runs: &DataFrame,
        traces: &DataFrame,
        times: Option<&DataFrame>,
    ) -> Result<Self, TableReadError> {
        Ok(Self {
            name: name.to_owned(),
            runs: read_runs(&format!("runs of {name}"), runs)?,
            checkpoints: read_traces(&format!("traces of {name}"), traces)?,
            times: times.map(|frame| read_times(&format!("times of {name}"), frame)).transpose()?.unwrap_or_default(),
        })
    }
}

/// A table with its name and columns, for reading typed columns.
struct TypedTable<'a> {
    table: &'a str,
    frame: &'a DataFrame,
    columns: Vec<ResultColumn>,
}

impl TypedTable<'_> {
    fn column(&self, name: &'static str) -> Result<&ResultColumn, TableReadError> {
        let missing = || TableReadError::Missing { table: self.table.into(), column: name };
        self.columns.iter().find(|column| column.name == name).ok_or_else(missing)
    }

    /// A text column; null reads as the empty string, which the schema allows for optional columns only.
    fn texts(&self, name: &'static str) -> Result<Vec<String>, TableReadError> {
        let values = texts(self.table, self.frame, self.column(name)?)?;
        Ok(values.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn counts(&self, name: &'static str) -> Result<Vec<Option<u64>>, TableReadError> {
        counts(self.table, self.frame, self.column(name)?)
    }

    fn numbers(&self, name: &'static str) -> Result<Vec<Option<f64>>, TableReadError> {
        numbers(self.table, self.frame, self.column(name)?)
    }

    /// The gauges of each row.
    fn gauges(&self) -> Result<Vec<GaugeValues>, TableReadError> {
        rows_of(self.frame.height(), |name| self.counts(name), |name| self.numbers(name))
    }

    /// A column of counts that the schema does not let be null.
    fn all_counts(&self, name: &'static str) -> Result<Vec<u64>, TableReadError> {
        Ok(self.counts(name)?.into_iter().map(Option::unwrap_or_default).collect())
    }
}

fn read_runs(table: &str, frame: &DataFrame) -> Result<Vec<RunResult>, TableReadError> {
    let source = TypedTable { table, frame, columns: run_columns() };
    let ids = source.texts("run_id")?;
    let streams = source.texts("stream")?;
    let learners = source.texts("learner")?;
    let labels = source.texts("label")?;
    let replicates = source.all_counts("replicate")?;
    let horizons = source.all_counts("horizon")?;
    let statuses = source.texts("status")?;
    let details = source.texts("detail")?;
    let rounds = source.all_counts("rounds")?;
    let average_loss = source.numbers("average_loss")?;
    let cumulative_loss = source.numbers("cumulative_loss")?;
    let cumulative_error = source.numbers("cumulative_error")?;
    let comparator_loss = source.numbers("comparator_loss")?;
    let tuned = source.texts("tuned")?;
    let gauges = source.gauges()?;
    let measures = read_measures(table, frame)?;
    let parameters = read_parameters(frame);
    let orders = frame.column("p_stream_order").and_then(|column| column.str().cloned()).ok();
    let mut runs: Vec<RunResult> = (0..ids.len())
        .map(|row| RunResult {
            run_id: ids[row].clone(),
            stream: streams[row].clone(),
            learner: learners[row].clone(),
            label: labels[row].clone(),
            replicate: replicates[row],
            horizon: horizons[row],
            // Whatever a later version calls it, a run that is neither done nor diverged gave no result.
            status: EndStatus::from_word(&statuses[row]).unwrap_or(EndStatus::Failed),
            detail: Some(details[row].clone()).filter(|detail| !detail.is_empty()),
            rounds: rounds[row],
            average_loss: average_loss[row],
            cumulative_loss: cumulative_loss[row],
            cumulative_error: cumulative_error[row],
            comparator_loss: comparator_loss[row],
            gauges: gauges[row],
            tuned: Some(tuned[row].clone()).filter(|tuned| !tuned.is_empty()),
            in_file_order: orders.as_ref().is_some_and(|orders| orders.get(row) == Some("file")),
            measures: measures.iter().filter_map(|(name, values)| Some((name.clone(), values[row]?))).collect(),
            parameters: parameters.iter().filter_map(|(name, values)| Some((name.clone(), values[row]?))).collect(),
        })
        .collect();
    runs.sort_by(|a, b| {
        let place = |run: &RunResult| (run.horizon, run.replicate);
        let by_name = a.stream.cmp(&b.stream).then_with(|| a.label.cmp(&b.label));
        by_name.then_with(|| place(a).cmp(&place(b))).then_with(|| a.run_id.cmp(&b.run_id))
    });
    Ok(runs)
}

/// The columns of measures, by name without prefix.
fn read_measures(table: &str, frame: &DataFrame) -> Result<BTreeMap<String, Vec<Option<f64>>>, TableReadError> {
    let names = frame.get_column_names().into_iter().filter_map(|name| name.strip_prefix(MEASURE));
    names.map(|name| Ok((name.to_owned(), measure(table, frame, name)?))).collect()
}

/// The parameters that are numbers, by dotted name with underscores.
fn read_parameters(frame: &DataFrame) -> BTreeMap<String, Vec<Option<f64>>> {
    let columns = frame.columns().iter().filter_map(|column| {
        let name = column.name().strip_prefix("p_")?;
        let name = name.strip_prefix("learner_").unwrap_or(name);
        Some((name.to_owned(), column.f64().ok()?.iter().collect()))
    });
    columns.collect()
}

fn read_traces(table: &str, frame: &DataFrame) -> Result<BTreeMap<String, Vec<TraceRow>>, TableReadError> {
    let source = TypedTable { table, frame, columns: trace_columns() };
    let ids = source.texts("run_id")?;
    let rounds = source.all_counts("t")?;
    let losses = source.numbers("cumulative_loss")?;
    let errors = source.numbers("cumulative_error")?;
    let comparators = source.numbers("comparator_loss")?;
    let gauges = source.gauges()?;
    let mut checkpoints: BTreeMap<String, Vec<TraceRow>> = BTreeMap::new();
    for (row, id) in ids.into_iter().enumerate() {
        let checkpoint = TraceRow {
            t: rounds[row],
            cumulative_loss: losses[row].unwrap_or(f64::NAN),
            cumulative_error: errors[row],
            comparator_loss: comparators[row],
            gauges: gauges[row],
        };
        checkpoints.entry(id).or_default().push(checkpoint);
    }
    checkpoints.values_mut().for_each(|rows| rows.sort_by_key(|row| row.t));
    Ok(checkpoints)
}

fn read_times(table: &str, frame: &DataFrame) -> Result<BTreeMap<String, Vec<TimeSpent>>, TableReadError> {
    let source = TypedTable { table, frame, columns: TIMES.to_vec() };
    let ids = source.texts("run_id")?;
    let rounds = source.all_counts("t")?;
    let cpu = source.all_counts("cpu_ns")?;
    let wall = source.all_counts("wall_ns")?;
    let mut times: BTreeMap<String, Vec<TimeSpent>> = BTreeMap::new();
    for (row, id) in ids.into_iter().enumerate() {
        let spent = TimeSpent { t: rounds[row], cpu: cpu[row] as f64 * 1e-9, wall: wall[row] as f64 * 1e-9 };
        times.entry(id).or_default().push(spent);
    }
    times.values_mut().for_each(|rows| rows.sort_by_key(|row| row.t));
    Ok(times)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A completed run without any number.
    pub(crate) fn run(label: &str, replicate: u64, horizon: u64) -> RunResult {
        RunResult {
            run_id: format!("{label}-{replicate}-{horizon}"),
            stream: "law".into(),
            learner: "learner".into(),
            label: label.into(),
            replicate,
            horizon,
            status: EndStatus::Done,
            detail: None,
            rounds: horizon,
            average_loss: None,
            cumulative_loss: None,
            cumulative_error: None,
            comparator_loss: None,
            gauges: GaugeValues::default(),
            tuned: None,
            in_file_order: false,
            measures: BTreeMap::new(),
            parameters: BTreeMap::new(),
        }
    }
}
