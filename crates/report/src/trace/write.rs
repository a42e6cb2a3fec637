//! The result tables of an experiment, joined from the traces of its runs. Schema: [`crate::trace::schema`].

use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat_n;
use std::sync::Arc;

use noregret_core::protocol::record::RunRecord;
use serde_json::Value as Json;

use crate::trace::cell::{Ending, TableProvenance, TraceRow, row_values};
use crate::trace::gauge::{GAUGES, columns_of};
use crate::trace::schema::{CHECKPOINTS, ENDINGS, IDENTITY, MEASURE, RUNS, TIMES, TIMINGS, TRACE, Type};
use crate::trace::table::{ColumnData, TableWriter, TraceError, WrittenColumn};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A row group ends with the first run that brings it to this many rows: one run can then be read without the others,
/// and the footer stays small.
const GROUP_ROWS: usize = 10_000;

/// So many rows are put into columns at once: all of a large experiment would take much memory, few take long.
const BLOCK: usize = 4096;

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
    pub last: Option<TraceRow>,
    /// Named numbers known at its end; become columns `m_*`.
    pub measures: Vec<(Arc<str>, f64)>,
    /// Objective of the comparator in hindsight at the horizon.
    pub comparator_loss: Option<f64>,
    /// Full key of the cell.
    pub key: String,
    /// Canonical JSON of the cell's configuration.
    pub config: String,
    /// Which parameters were chosen, and among how many settings.
    pub tuned: Option<String>,
    /// Parameters of the learner; become columns `p_learner_*`.
    pub learner_parameters: Arc<FlatParameters>,
    /// Parameters of the stream; become columns `p_stream_*`.
    pub stream_parameters: Arc<FlatParameters>,
}

/// Parameters as the runs table holds them: dotted paths with underscores, each with a number or a word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatParameters(BTreeMap<String, ParameterValue>);

/// A parameter as a table holds it.
#[derive(Clone, Debug, PartialEq)]
enum ParameterValue {
    Number(f64),
    Word(String),
}

impl FlatParameters {
    /// From their canonical form: numbers as numbers, words and flags as words, nested tables as longer names.
    pub fn new(canonical: &Json) -> Self {
        let mut cells = BTreeMap::new();
        flatten("", canonical, &mut cells);
        Self(cells)
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.0.get(name)? {
            ParameterValue::Number(number) => Some(*number),
            ParameterValue::Word(_) => None,
        }
    }

    fn word(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            ParameterValue::Word(word) => Some(word.clone()),
            ParameterValue::Number(_) => None,
        }
    }
}

/// The columns of a runs table that its runs bring: measures and parameters.
///
/// Measures become columns `m_<name>`, null where a run does not have them.
///
/// Parameters become columns named by their dotted path with underscores (`p_learner_kernel_bandwidth`), null where
/// a run does not have them. Where some runs give a number and others a word for the same parameter (`theory`), the
/// words go to a column of their own, named `..._word`.
#[derive(Clone, Debug, Default)]
pub struct RunColumns {
    measures: BTreeSet<Arc<str>>,
    learner: BTreeMap<String, Kinds>,
    stream: BTreeMap<String, Kinds>,
}

/// What values a parameter has.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    number: bool,
    word: bool,
}

/// How such a column is filled.
type Fill<'a> = Box<dyn Fn(&[RunRow]) -> ColumnData + 'a>;

impl RunColumns {
    /// Adds a measure; its name is shared from then on.
    pub fn measure(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.measures.get(name) {
            return known.clone();
        }
        let name: Arc<str> = name.into();
        self.measures.insert(name.clone());
        name
    }

    /// Adds parameters of a learner.
    pub fn learner(&mut self, parameters: &FlatParameters) {
        add(&mut self.learner, parameters);
    }

    /// Adds parameters of a stream.
    pub fn stream(&mut self, parameters: &FlatParameters) {
        add(&mut self.stream, parameters);
    }

    /// All of them, sorted by name within measures, learner and stream.
    fn all(&self) -> Vec<(WrittenColumn, Fill<'_>)> {
        let field = |name, kind, doc| WrittenColumn { name, kind, nullable: true, unit: String::new(), doc };
        let mut columns: Vec<(WrittenColumn, Fill<'_>)> = Vec::new();
        for name in &self.measures {
            let value =
                move |run: &RunRow| run.measures.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
            let field = field(format!("{MEASURE}{name}"), Type::Number, "measure at the end of the run".into());
            columns.push((field, Box::new(move |rows| ColumnData::Number(rows.iter().map(value).collect()))));
        }
        type Select = fn(&RunRow) -> &FlatParameters;
        let kinds: [(&str, &BTreeMap<String, Kinds>, Select); 2] = [
            ("learner", &self.learner, |run| &run.learner_parameters),
            ("stream", &self.stream, |run| &run.stream_parameters),
        ];
        for (of, parameters, select) in kinds {
            for (path, kinds) in parameters {
                let name = format!("p_{of}{path}");
                let doc = format!("parameter of the {of}");
                if kinds.word {
                    let name = if kinds.number { format!("{name}_word") } else { name.clone() };
                    let words = move |run: &RunRow| select(run).word(path);
                    let fill: Fill<'_> = Box::new(move |rows| ColumnData::Text(rows.iter().map(words).collect()));
                    columns.push((field(name, Type::Text, doc.clone()), fill));
                }
                if kinds.number {
                    let numbers = move |run: &RunRow| select(run).number(path);
                    let fill: Fill<'_> = Box::new(move |rows| ColumnData::Number(rows.iter().map(numbers).collect()));
                    columns.push((field(name, Type::Number, doc), fill));
                }
            }
        }
        columns
    }
}

fn add(columns: &mut BTreeMap<String, Kinds>, parameters: &FlatParameters) {
    for (name, cell) in &parameters.0 {
        let (number, word) = (matches!(cell, ParameterValue::Number(_)), matches!(cell, ParameterValue::Word(_)));
        match columns.get_mut(name) {
            Some(kinds) => *kinds = Kinds { number: kinds.number | number, word: kinds.word | word },
            None => drop(columns.insert(name.clone(), Kinds { number, word })),
        }
    }
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

/// Writes the traces of an experiment, run by run: one row per run and checkpoint, sorted by (run_id, t).
pub struct Traces {
    table: TableWriter<Vec<u8>>,
    order: RunOrder,
    /// Runs whose rows wait to be put into columns, and for each of the rows whose it is.
    runs: Vec<RunIdentity>,
    owners: Vec<usize>,
    rows: Vec<TraceRow>,
}

impl Traces {
    /// No runs yet.
    ///
    /// # Errors
    /// The table cannot be begun.
    pub fn new(provenance: &TableProvenance) -> Result<Self, TraceError> {
        let fields: Vec<WrittenColumn> =
            IDENTITY.iter().chain(CHECKPOINTS).chain(GAUGES).map(WrittenColumn::from).collect();
        // No more than run_id is declared as sorted: t is not the second column.
        let table = TableWriter::new(Vec::new(), TRACE, &fields, provenance.metadata(), 1)?;
        Ok(Self { table, order: RunOrder::default(), runs: Vec::new(), owners: Vec::new(), rows: Vec::new() })
    }

    /// Adds a run with its checkpoints.
    ///
    /// # Errors
    /// [`TraceError::Order`] unless the runs come in strictly ascending order of `run_id`.
    pub fn push(&mut self, run: &RunIdentity, rows: &[TraceRow]) -> Result<(), TraceError> {
        self.order.check(&run.run_id)?;
        self.owners.extend(repeat_n(self.runs.len(), rows.len()));
        self.runs.push(run.clone());
        self.rows.extend_from_slice(rows);
        let full = self.table.pending_rows() + self.rows.len() >= GROUP_ROWS;
        if full || self.rows.len() >= BLOCK {
            self.write()?;
        }
        if full { self.table.end_group() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let identities: Vec<&RunIdentity> = self.owners.iter().map(|&owner| &self.runs[owner]).collect();
        let mut columns = identity_values(&identities);
        columns.extend(row_values(&self.rows));
        self.table.push(columns)?;
        self.runs.clear();
        self.owners.clear();
        self.rows.clear();
        Ok(())
    }

    /// The table as Parquet bytes.
    ///
    /// # Errors
    /// What could not be written.
    pub fn finish(mut self) -> Result<Vec<u8>, TraceError> {
        self.write()?;
        self.table.finish()
    }
}

/// The runs table: one row per run, sorted by run_id. `columns` knows the measures and parameters of all of them.
///
/// # Errors
/// [`TraceError::Order`] unless the runs come in strictly ascending order of `run_id`.
pub fn runs(
    provenance: &TableProvenance,
    columns: &RunColumns,
    rows: impl IntoIterator<Item = RunRow>,
) -> Result<Vec<u8>, TraceError> {
    let mut order = RunOrder::default();
    let own = columns.all();
    let fields = IDENTITY.iter().chain(ENDINGS).chain(GAUGES).map(WrittenColumn::from);
    let fields: Vec<WrittenColumn> = fields.chain(own.iter().map(|(field, _)| field.clone())).collect();
    let mut table = TableWriter::new(Vec::new(), RUNS, &fields, provenance.metadata(), 1)?;
    let mut rows = rows.into_iter();
    loop {
        let block: Vec<RunRow> = rows.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            return table.finish();
        }
        block.iter().try_for_each(|run| order.check(&run.identity.run_id))?;
        let mut columns = run_values(&block);
        columns.extend(own.iter().map(|(_, fill)| fill(&block)));
        table.push(columns)?;
    }
}

/// The columns that every runs table has.
fn run_values(rows: &[RunRow]) -> Vec<ColumnData> {
    let last = |of: fn(&TraceRow) -> Option<f64>| {
        ColumnData::Number(rows.iter().map(|run| run.last.as_ref().and_then(of)).collect())
    };
    let text = |of: fn(&RunRow) -> Option<String>| ColumnData::Text(rows.iter().map(of).collect());
    let mut columns = identity_values(&rows.iter().map(|run| &run.identity).collect::<Vec<_>>());
    columns.extend([
        text(|run| Some(run.ending.status.word().into())),
        text(|run| run.ending.detail.clone()),
        ColumnData::Count(rows.iter().map(|run| Some(run.ending.rounds)).collect()),
        last(|row| Some(row.cumulative_loss)),
        last(|row| (row.t > 0).then(|| row.cumulative_loss / row.t as f64)),
        last(|row| row.cumulative_error),
        ColumnData::Number(rows.iter().map(|run| run.comparator_loss).collect()),
        text(|run| Some(run.key.clone())),
        text(|run| Some(run.config.clone())),
        text(|run| run.tuned.clone()),
    ]);
    columns.extend(columns_of(&rows.iter().map(|run| run.last.as_ref().map(|last| &last.gauges)).collect::<Vec<_>>()));
    columns
}

/// The table of times: for each run its id, its times and the machine that ran it.
///
/// # Errors
/// [`TraceError::Order`] unless the runs come in strictly ascending order of `run_id`.
pub fn timings<'a>(runs: impl IntoIterator<Item = (&'a str, &'a [Time], &'a str)>) -> Result<Vec<u8>, TraceError> {
    let fields: Vec<WrittenColumn> = TIMES.iter().map(WrittenColumn::from).collect();
    let mut table = TableWriter::new(Vec::new(), TIMINGS, &fields, BTreeMap::new(), 2)?;
    let mut order = RunOrder::default();
    let mut rows: Vec<(&str, &Time, &str)> = Vec::new();
    for (run_id, times, host) in runs {
        order.check(run_id)?;
        rows.extend(times.iter().map(|time| (run_id, time, host)));
        let full = table.pending_rows() + rows.len() >= GROUP_ROWS;
        if full || rows.len() >= BLOCK {
            table.push(time_values(&rows))?;
            rows.clear();
        }
        if full {
            table.end_group()?;
        }
    }
    table.push(time_values(&rows))?;
    table.finish()
}

fn time_values(rows: &[(&str, &Time, &str)]) -> Vec<ColumnData> {
    let count = |of: fn(&Time) -> u64| ColumnData::Count(rows.iter().map(|(_, time, _)| Some(of(time))).collect());
    vec![
        ColumnData::Text(rows.iter().map(|(run_id, ..)| Some((*run_id).to_owned())).collect()),
        count(|time| time.t),
        count(|time| time.cpu_ns),
        count(|time| time.wall_ns),
        ColumnData::Text(rows.iter().map(|(.., host)| Some((*host).to_owned())).collect()),
    ]
}

/// Checks that runs come in ascending order, each once.
#[derive(Default)]
struct RunOrder {
    previous: Option<String>,
}

impl RunOrder {
    fn check(&mut self, run_id: &str) -> Result<(), TraceError> {
        match self.previous.replace(run_id.to_owned()) {
            Some(previous) if previous.as_str() >= run_id => Err(TraceError::Order { previous, next: run_id.into() }),
            _ => Ok(()),
        }
    }
}

fn identity_values(identities: &[&RunIdentity]) -> Vec<ColumnData> {
    let text = |of: fn(&RunIdentity) -> &str| {
        ColumnData::Text(identities.iter().map(|identity| Some(of(identity).to_owned())).collect())
    };
    vec![
        text(|identity| &identity.run_id),
        text(|identity| &identity.experiment),
        text(|identity| &identity.stream),
        text(|identity| &identity.learner),
        text(|identity| &identity.label),
        ColumnData::Count(identities.iter().map(|identity| Some(identity.replicate)).collect()),
        ColumnData::Count(identities.iter().map(|identity| Some(identity.horizon)).collect()),
    ]
}

/// Nested tables become longer names; what is neither number, word, flag nor table is kept as JSON text.
fn flatten(name: &str, value: &Json, cells: &mut BTreeMap<String, ParameterValue>) {
    match value {
        Json::Object(entries) => {
            entries.iter().for_each(|(key, value)| flatten(&format!("{name}_{key}"), value, cells));
        }
        Json::Null => {}
        Json::Number(number) => {
            if let Some(number) = number.as_f64() {
                cells.insert(name.to_owned(), ParameterValue::Number(number));
            }
        }
        Json::String(word) => {
            cells.insert(name.to_owned(), ParameterValue::Word(word.clone()));
        }
        other => {
            cells.insert(name.to_owned(), ParameterValue::Word(other.to_string()));
        }
    }
}
