//! One run as it is kept in the store: deterministic Parquet bytes, and back.

use std::collections::BTreeMap;

use arrow::array::{Array, Float64Array, UInt64Array};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::json;

use crate::trace::gauge::{GAUGES, GaugeValues, columns_of, rows_of};
use crate::trace::schema::{CHECKPOINTS, TRACE};
use crate::trace::table::{Field, TableWriter, TraceError, Values};
use noregret_core::protocol::record as played;

/// The trace of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct CellTrace {
    /// Where it comes from.
    pub provenance: Provenance,
    /// How the run ended.
    pub ending: Ending,
    /// The checkpoints, ascending in `t`.
    pub rows: Vec<Checkpoint>,
    /// Named numbers that say how the run went, known at its end.
    pub measures: BTreeMap<String, f64>,
}

/// Where a table comes from; goes into its metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Full key, in hexadecimal.
    pub key: String,
    /// Canonical JSON of the configuration.
    pub config: String,
    /// Name of each input with its SHA-256 in hexadecimal.
    pub inputs: BTreeMap<String, String>,
    /// The code that computed it.
    pub code: serde_json::Value,
    /// The choice behind it, where its parameters were chosen on other orders of the rows.
    pub tuned: Option<Tuned>,
}

/// A choice of parameters.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tuned {
    /// Which candidate, from 0.
    pub candidate: usize,
    /// Its values, and among how many settings they were chosen.
    pub words: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In one word.
    pub status: RunStatus,
    /// Why, where the status is not done.
    pub detail: Option<String>,
    /// Rounds played.
    pub rounds: u64,
}

/// The end of a run in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// All rounds were played.
    Done,
    /// The learner broke down, or made a prediction that is not finite.
    Diverged,
    /// An error of the program or its data: there is no trace.
    Failed,
}

impl RunStatus {
    /// The word that stands in tables.
    pub fn word(self) -> &'static str {
        match self {
            RunStatus::Done => "done",
            RunStatus::Diverged => "diverged",
            RunStatus::Failed => "failed",
        }
    }

    /// The end of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [RunStatus::Done, RunStatus::Diverged, RunStatus::Failed].into_iter().find(|status| status.word() == word)
    }
}

/// The state of a run after round `t`; columns [`CHECKPOINTS`] and the gauges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Rounds played.
    pub t: u64,
    /// Sum of (prediction - target)^2 over rounds 1..t.
    pub cumulative_loss: f64,
    /// Rounds with the wrong sign.
    pub cumulative_error: Option<f64>,
    /// Loss of the best fixed predictor of rounds 1..t, as an adversary knows it.
    pub comparator_loss: Option<f64>,
    /// What the learner holds and has spent.
    pub gauges: GaugeValues,
}

/// All columns of some rows, in the order of [`CHECKPOINTS`] and the gauges.
pub(crate) fn row_values(rows: &[Checkpoint]) -> Vec<Values> {
    let mut values = vec![
        Values::Count(rows.iter().map(|row| Some(row.t)).collect()),
        Values::Number(rows.iter().map(|row| Some(row.cumulative_loss)).collect()),
        Values::Number(rows.iter().map(|row| row.cumulative_error).collect()),
        Values::Number(rows.iter().map(|row| row.comparator_loss).collect()),
    ];
    values.extend(columns_of(&rows.iter().map(|row| Some(&row.gauges)).collect::<Vec<_>>()));
    values
}

impl CellTrace {
    /// The deterministic part of a record, as it is stored.
    pub fn new(record: &played::RunRecord, provenance: Provenance) -> Self {
        let (status, detail) = match &record.status {
            played::RunStatus::Done => (RunStatus::Done, None),
            played::RunStatus::Diverged { round, cause } => {
                (RunStatus::Diverged, Some(format!("round {round}: {cause}")))
            }
        };
        Self {
            provenance,
            ending: Ending { status, detail, rounds: record.rounds },
            rows: record.checkpoints.iter().map(Checkpoint::new).collect(),
            measures: record.measures.clone(),
        }
    }
}

impl Checkpoint {
    fn new(at: &played::Checkpoint) -> Self {
        Self {
            t: at.t,
            cumulative_loss: at.cumulative_loss,
            cumulative_error: at.cumulative_error,
            comparator_loss: at.comparator_loss,
            gauges: GaugeValues::new(at),
        }
    }
}

impl Provenance {
    /// As key-value metadata.
    pub(crate) fn metadata(&self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::from([
            ("noregret.key".into(), self.key.clone()),
            ("noregret.config".into(), self.config.clone()),
            ("noregret.inputs".into(), json!(self.inputs).to_string()),
            ("noregret.code".into(), self.code.to_string()),
        ]);
        metadata.extend(self.tuned.iter().map(|tuned| ("noregret.tuned".into(), json!(tuned).to_string())));
        metadata
    }

    fn from_metadata(metadata: &BTreeMap<String, String>) -> Result<Self, TraceError> {
        let bad = |name: &str, error: serde_json::Error| TraceError::Content(format!("metadata `{name}`: {error}"));
        Ok(Self {
            key: entry(metadata, "noregret.key")?.clone(),
            config: entry(metadata, "noregret.config")?.clone(),
            inputs: serde_json::from_str(entry(metadata, "noregret.inputs")?)
                .map_err(|error| bad("noregret.inputs", error))?,
            code: serde_json::from_str(entry(metadata, "noregret.code")?)
                .map_err(|error| bad("noregret.code", error))?,
            tuned: metadata
                .get("noregret.tuned")
                .map(|tuned| serde_json::from_str(tuned))
                .transpose()
                .map_err(|error| bad("noregret.tuned", error))?,
        })
    }
}

/// The bytes of a trace: equal traces give equal bytes.
pub fn write_cell(trace: &CellTrace) -> Result<Vec<u8>, TraceError> {
    let mut metadata = trace.provenance.metadata();
    metadata.insert("noregret.status".into(), trace.ending.status.word().into());
    metadata.insert("noregret.rounds".into(), trace.ending.rounds.to_string());
    if let Some(detail) = &trace.ending.detail {
        metadata.insert("noregret.detail".into(), detail.clone());
    }
    // As text, because JSON numbers are not read back to the last bit.
    let measures: BTreeMap<&String, String> = trace.measures.iter().map(|(name, x)| (name, x.to_string())).collect();
    metadata.insert("noregret.measures".into(), json!(measures).to_string());
    let fields: Vec<Field> = CHECKPOINTS.iter().chain(GAUGES).map(Field::from).collect();
    let mut table = TableWriter::new(Vec::new(), TRACE, &fields, metadata, 1)?;
    table.push(row_values(&trace.rows))?;
    table.finish()
}

/// The trace that [`write_cell`] wrote.
///
/// # Errors
/// Bytes that are not a sound Parquet file, another schema, missing metadata or columns.
pub fn read_cell(bytes: &[u8]) -> Result<CellTrace, TraceError> {
    let file = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(bytes)).map_err(TraceError::Read)?;
    let pairs = file.metadata().file_metadata().key_value_metadata();
    let metadata: BTreeMap<String, String> =
        pairs.into_iter().flatten().filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?))).collect();
    let schema = entry(&metadata, "noregret.schema")?;
    if schema != TRACE {
        return Err(TraceError::Content(format!("its schema is `{schema}`; this version reads `{TRACE}`")));
    }
    let status = entry(&metadata, "noregret.status")?;
    let ending = Ending {
        status: RunStatus::from_word(status)
            .ok_or_else(|| TraceError::Content(format!("unknown status `{status}`")))?,
        detail: metadata.get("noregret.detail").cloned(),
        rounds: entry(&metadata, "noregret.rounds")?
            .parse()
            .map_err(|error| TraceError::Content(format!("metadata `noregret.rounds`: {error}")))?,
    };
    let provenance = Provenance::from_metadata(&metadata)?;
    let measures = read_measures(entry(&metadata, "noregret.measures")?)
        .ok_or_else(|| TraceError::Content("metadata `noregret.measures` does not hold numbers by name".into()))?;
    let mut rows = Vec::new();
    for batch in file.build().map_err(TraceError::Read)? {
        let batch = batch.map_err(|error| TraceError::Read(error.into()))?;
        read_rows(&batch, &mut rows)?;
    }
    Ok(CellTrace { provenance, ending, rows, measures })
}

fn read_measures(text: &str) -> Option<BTreeMap<String, f64>> {
    let measures: BTreeMap<String, String> = serde_json::from_str(text).ok()?;
    measures.into_iter().map(|(name, number)| Some((name, number.parse().ok()?))).collect()
}

fn entry<'a>(metadata: &'a BTreeMap<String, String>, name: &str) -> Result<&'a String, TraceError> {
    metadata.get(name).ok_or_else(|| TraceError::Content(format!("metadata `{name}` is missing")))
}

fn read_rows(batch: &RecordBatch, rows: &mut Vec<Checkpoint>) -> Result<(), TraceError> {
    let t = column::<UInt64Array>(batch, "t")?;
    let counts = |name| Ok(column::<UInt64Array>(batch, name)?.iter().collect());
    let numbers = |name| Ok(column::<Float64Array>(batch, name)?.iter().collect());
    let loss = column::<Float64Array>(batch, "cumulative_loss")?;
    let (error, comparator): (Vec<_>, Vec<_>) = (numbers("cumulative_error")?, numbers("comparator_loss")?);
    let gauges = rows_of(batch.num_rows(), counts, numbers)?;
    rows.extend(gauges.into_iter().enumerate().map(|(i, gauges)| Checkpoint {
        t: t.value(i),
        cumulative_loss: loss.value(i),
        cumulative_error: error[i],
        comparator_loss: comparator[i],
        gauges,
    }));
    Ok(())
}

fn column<'a, A: 'static>(batch: &'a RecordBatch, name: &str) -> Result<&'a A, TraceError> {
    let array = batch.column_by_name(name).ok_or_else(|| TraceError::Content(format!("no column `{name}`")))?;
    array
        .as_any()
        .downcast_ref()
        .ok_or_else(|| TraceError::Content(format!("column `{name}` is of type {}", array.data_type())))
}
