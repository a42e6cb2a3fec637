//! The result tables of an experiment, joined from the traces of its runs. Schema: [`crate::trace::schema`].

use std::collections::{BTreeMap, BTreeSet};

use noregret_core::protocol::record::RunRecord;
use serde_json::Value as Json;

use crate::trace::cell::{CellTrace, Checkpoint, Ending, Provenance, row_values};
use crate::trace::gauge::{GAUGES, columns_of};
use crate::trace::schema::{CHECKPOINTS, ENDINGS, IDENTITY, MEASURE, RUNS, TIMES, TIMINGS, TRACE, Type};
use crate::trace::table::{Field, TableWriter, TraceError, Values};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A row group ends with the first run that brings it to this many rows: one run can then be read without the others,
/// and the footer stays small.
const GROUP_ROWS: usize = 10_000;

/// What identifies a run; columns [`IDENTITY`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// First 16 hexadecimal digits of the cell's key.
    pub run_id: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Dataset or synthetic law.
    pub stream: String,
    /// Registered name of the learner.
    pub learner: String,
    /// Name of the curve in figures.
    pub label: String,
    /// Replicate, from 0.
    pub replicate: u64,
    /// Rounds that the run was set to play.
    pub horizon: u64,
}

/// A run as a row of the runs table.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// What identifies it.
    pub identity: RunIdentity,
    /// How it ended.
    pub ending: Ending,
    /// Its last checkpoint, where there is one.
    pub last: Option<Checkpoint>,
    /// Named numbers known at its end; become columns `m_*`.
    pub measures: BTreeMap<String, f64>,
    /// Objective of the comparator in hindsight at the horizon.
    pub comparator_loss: Option<f64>,
    /// Full key of the cell.
    pub key: String,
    /// Canonical JSON of the cell's configuration.
    pub config: String,
    /// Which parameters were chosen, and among how many settings.
    pub tuned: Option<String>,
    /// Canonical parameters of the learner; become columns `p_learner_*`.
    pub learner_parameters: Json,
    /// Canonical parameters of the stream; become columns `p_stream_*`.
    pub stream_parameters: Json,
}

/// Time spent in the learner up to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Time {
    /// Rounds played.
    pub t: u64,
    /// Processor time of the thread that played, in nanoseconds.
    pub cpu_ns: u64,
    /// Elapsed time, in nanoseconds.
    pub wall_ns: u64,
}

/// The times of a run, which never enter a result.
pub fn times(record: &RunRecord) -> Vec<Time> {
    record.checkpoints.iter().map(|at| Time { t: at.t, cpu_ns: at.cpu_ns, wall_ns: at.wall_ns }).collect()
}

/// The traces of an experiment: one row per run and checkpoint, sorted by (run_id, t).
///
/// # Errors
/// [`TraceError::Order`] unless the runs come in strictly ascending order of `run_id`.
pub fn experiment_traces(
    provenance: &Provenance,
    cells: impl IntoIterator<Item = (RunIdentity, CellTrace)>,
) -> Result<Vec<u8>, TraceError> {
    let fields: Vec<Field> = IDENTITY.iter().chain(CHECKPOINTS).chain(GAUGES).map(Field::from).collect();
    // No more than run_id is declared as sorted: t is not the second column.
    let mut table = TableWriter::new(Vec::new(), TRACE, &fields, provenance.metadata(), 1)?;
    let mut order = Order::default();
    for (identity, trace) in cells {
        order.check(&identity.run_id)?;
        let mut columns = identity_values(&vec![&identity; trace.rows.len()]);
        columns.extend(row_values(&trace.rows));
        table.push(columns)?;
        if table.pending_rows() >= GROUP_ROWS {
            table.end_group()?;
        }
    }
    table.finish()
}

/// The runs table: one row per run, sorted by run_id.
///
/// Measures become columns `m_<name>`, null where a run does not have them.
///
/// Parameters become columns named by their dotted path with underscores (`p_learner_kernel_bandwidth`), null where
/// a run does not have them: numbers as numbers, words and flags as strings. Where some runs give a number and others
/// a word for the same parameter (`theory`), the words go to a column of their own, named `..._word`.
///
/// # Errors
/// [`TraceError::Order`] unless the runs come in strictly ascending order of `run_id`.
pub fn runs(provenance: &Provenance, rows: &[RunRow]) -> Result<Vec<u8>, TraceError> {
    let mut order = Order::default();
    rows.iter().try_for_each(|run| order.check(&run.identity.run_id))?;
    let mut fields: Vec<Field> = IDENTITY.iter().chain(ENDINGS).chain(GAUGES).map(Field::from).collect();
    let last = |of: fn(&Checkpoint) -> Option<f64>| {
        Values::Number(rows.iter().map(|run| run.last.as_ref().and_then(of)).collect())
    };
    let text = |of: fn(&RunRow) -> Option<String>| Values::Text(rows.iter().map(of).collect());
    let mut columns = identity_values(&rows.iter().map(|run| &run.identity).collect::<Vec<_>>());
    columns.extend([
        text(|run| Some(run.ending.status.word().into())),
        text(|run| run.ending.detail.clone()),
        Values::Count(rows.iter().map(|run| Some(run.ending.rounds)).collect()),
        last(|row| Some(row.cumulative_loss)),
        last(|row| (row.t > 0).then(|| row.cumulative_loss / row.t as f64)),
        last(|row| row.cumulative_error),
        Values::Number(rows.iter().map(|run| run.comparator_loss).collect()),
        text(|run| Some(run.key.clone())),
        text(|run| Some(run.config.clone())),
        text(|run| run.tuned.clone()),
    ]);
    columns.extend(columns_of(&rows.iter().map(|run| run.last.as_ref().map(|last| &last.gauges)).collect::<Vec<_>>()));
    for (field, values) in measure_columns(rows).into_iter().chain(parameter_columns(rows)) {
        fields.push(field);
        columns.push(values);
    }
    let mut table = TableWriter::new(Vec::new(), RUNS, &fields, provenance.metadata(), 1)?;
    table.push(columns)?;
    table.finish()
}

/// The table of times: for each run its id, its times and the machine that ran it.
///
/// # Errors
/// [`TraceError::Order`] unless the runs come in strictly ascending order of `run_id`.
pub fn timings<'a>(runs: impl IntoIterator<Item = (&'a str, &'a [Time], &'a str)>) -> Result<Vec<u8>, TraceError> {
    let fields: Vec<Field> = TIMES.iter().map(Field::from).collect();
    let mut table = TableWriter::new(Vec::new(), TIMINGS, &fields, BTreeMap::new(), 2)?;
    let mut order = Order::default();
    for (run_id, times, host) in runs {
        order.check(run_id)?;
        let count = |of: fn(&Time) -> u64| Values::Count(times.iter().map(|time| Some(of(time))).collect());
        table.push(vec![
            Values::Text(vec![Some(run_id.into()); times.len()]),
            count(|time| time.t),
            count(|time| time.cpu_ns),
            count(|time| time.wall_ns),
            Values::Text(vec![Some(host.into()); times.len()]),
        ])?;
        if table.pending_rows() >= GROUP_ROWS {
            table.end_group()?;
        }
    }
    table.finish()
}

/// Checks that runs come in ascending order, each once.
#[derive(Default)]
struct Order {
    previous: Option<String>,
}

impl Order {
    fn check(&mut self, run_id: &str) -> Result<(), TraceError> {
        match self.previous.replace(run_id.to_owned()) {
            Some(previous) if previous.as_str() >= run_id => Err(TraceError::Order { previous, next: run_id.into() }),
            _ => Ok(()),
        }
    }
}

fn identity_values(identities: &[&RunIdentity]) -> Vec<Values> {
    let text = |of: fn(&RunIdentity) -> &str| {
        Values::Text(identities.iter().map(|identity| Some(of(identity).to_owned())).collect())
    };
    vec![
        text(|identity| &identity.run_id),
        text(|identity| &identity.experiment),
        text(|identity| &identity.stream),
        text(|identity| &identity.learner),
        text(|identity| &identity.label),
        Values::Count(identities.iter().map(|identity| Some(identity.replicate)).collect()),
        Values::Count(identities.iter().map(|identity| Some(identity.horizon)).collect()),
    ]
}

/// The columns of all measures, sorted by name.
fn measure_columns(rows: &[RunRow]) -> Vec<(Field, Values)> {
    let names: BTreeSet<&String> = rows.iter().flat_map(|run| run.measures.keys()).collect();
    let column = |name: &String| {
        let field = Field {
            name: format!("{MEASURE}{name}"),
            kind: Type::Number,
            nullable: true,
            unit: String::new(),
            doc: "measure at the end of the run".into(),
        };
        (field, Values::Number(rows.iter().map(|run| run.measures.get(name).copied()).collect()))
    };
    names.into_iter().map(column).collect()
}

/// A parameter as a table holds it.
#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Number(f64),
    Word(String),
}

/// The parameter columns of all runs, sorted by name within learner and stream.
fn parameter_columns(rows: &[RunRow]) -> Vec<(Field, Values)> {
    let mut columns = Vec::new();
    type Select = fn(&RunRow) -> &Json;
    let kinds: [(&str, Select); 2] =
        [("learner", |run| &run.learner_parameters), ("stream", |run| &run.stream_parameters)];
    for (kind, select) in kinds {
        let flat: Vec<BTreeMap<String, Cell>> = rows
            .iter()
            .map(|run| {
                let mut cells = BTreeMap::new();
                flatten(&format!("p_{kind}"), select(run), &mut cells);
                cells
            })
            .collect();
        let names: BTreeSet<&String> = flat.iter().flat_map(BTreeMap::keys).collect();
        for name in names {
            let number = |cells: &BTreeMap<String, Cell>| match cells.get(name) {
                Some(Cell::Number(number)) => Some(*number),
                _ => None,
            };
            let word = |cells: &BTreeMap<String, Cell>| match cells.get(name) {
                Some(Cell::Word(word)) => Some(word.clone()),
                _ => None,
            };
            let numbers: Vec<_> = flat.iter().map(number).collect();
            let words: Vec<_> = flat.iter().map(word).collect();
            let some_number = numbers.iter().any(Option::is_some);
            if words.iter().any(Option::is_some) {
                let name = if some_number { format!("{name}_word") } else { name.clone() };
                columns.push((parameter_field(name, Type::Text, kind), Values::Text(words)));
            }
            if some_number {
                columns.push((parameter_field(name.clone(), Type::Number, kind), Values::Number(numbers)));
            }
        }
    }
    columns
}

fn parameter_field(name: String, kind: Type, of: &str) -> Field {
    Field { name, kind, nullable: true, unit: String::new(), doc: format!("parameter of the {of}") }
}

/// Nested tables become longer names; what is neither number, word, flag nor table is kept as JSON text.
fn flatten(name: &str, value: &Json, cells: &mut BTreeMap<String, Cell>) {
    match value {
        Json::Object(entries) => {
            entries.iter().for_each(|(key, value)| flatten(&format!("{name}_{key}"), value, cells));
        }
        Json::Null => {}
        Json::Number(number) => {
            if let Some(number) = number.as_f64() {
                cells.insert(name.to_owned(), Cell::Number(number));
            }
        }
        Json::String(word) => {
            cells.insert(name.to_owned(), Cell::Word(word.clone()));
        }
        other => {
            cells.insert(name.to_owned(), Cell::Word(other.to_string()));
        }
    }
}
