//! One run as it is kept in the store: deterministic Parquet bytes, and back.

use std::collections::BTreeMap;

use arrow::array::AsArray;
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Schema, UInt64Type};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use serde_json::json;

use crate::trace::gauge::{GAUGES, GaugeValues, columns_of, rows_of};
use crate::trace::schema::{CHECKPOINTS, TRACE};
use crate::trace::table::{ColumnData, TableWriter, TraceError, WrittenColumn, guarded};
use noregret_core::protocol::record as played;
use noregret_data::thrift::CheckedParquet;

/// The trace of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct CellTrace {
    /// Where it comes from.
    pub provenance: TableProvenance,
    /// How the run ended.
    pub ending: Ending,
    /// The checkpoints, ascending in `t`.
    pub rows: Vec<TraceRow>,
    /// Named numbers that say how the run went, known at its end.
    pub measures: BTreeMap<String, f64>,
}

/// What a stored trace tells of its run; where it comes from stays in its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The choice behind it, where its parameters were chosen.
    pub tuned: Option<ChosenParameters>,
    /// How the run ended.
    pub ending: Ending,
    /// The checkpoints, ascending in `t`.
    pub rows: Vec<TraceRow>,
    /// Named numbers that say how the run went, known at its end.
    pub measures: BTreeMap<String, f64>,
}

/// Where a table comes from; goes into its metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableProvenance {
    /// Full key, in hexadecimal.
    pub key: String,
    /// Canonical JSON of the configuration.
    pub config: String,
    /// Name of each input with its SHA-256 in hexadecimal.
    pub inputs: BTreeMap<String, String>,
    /// The code that computed it.
    pub code: serde_json::Value,
    /// The choice behind it, where its parameters were chosen on other orders of the rows.
    pub tuned: Option<ChosenParameters>,
}

/// A choice of parameters.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ChosenParameters {
    /// Which candidate, from 0.
    pub candidate: usize,
    /// Its values, and among how many settings they were chosen.
    pub words: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In one word.
    pub status: EndStatus,
    /// Why, where the status is not done.
    pub detail: Option<String>,
    /// Rounds played.
    pub rounds: u64,
}

/// The end of a run in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndStatus {
    /// All rounds were played.
    Done,
    /// The learner broke down, or made a prediction that is not finite.
    Diverged,
    /// An error of the program or its data: there is no trace.
    Failed,
}

impl EndStatus {
    /// The word that stands in tables.
    pub(crate) fn word(self) -> &'static str {
        match self {
            EndStatus::Done => "done",
            EndStatus::Diverged => "diverged",
            EndStatus::Failed => "failed",
        }
    }

    /// The end of that word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [EndStatus::Done, EndStatus::Diverged, EndStatus::Failed].into_iter().find(|status| status.word() == word)
    }
}

/// The state of a run after round `t`; columns [`CHECKPOINTS`] and the gauges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceRow {
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
pub(crate) fn row_values(rows: &[TraceRow]) -> Vec<ColumnData> {
    let mut values = vec![
        ColumnData::Count(rows.iter().map(|row| Some(row.t)).collect()),
        ColumnData::Number(rows.iter().map(|row| Some(row.cumulative_loss)).collect()),
        ColumnData::Number(rows.iter().map(|row| row.cumulative_error).collect()),
        ColumnData::Number(rows.iter().map(|row| row.comparator_loss).collect()),
    ];
    values.extend(columns_of(&rows.iter().map(|row| Some(&row.gauges)).collect::<Vec<_>>()));
    values
}

impl CellTrace {
    /// The deterministic part of a record, as it is stored.
    pub fn new(record: &played::RunRecord, provenance: TableProvenance) -> Self {
        let (status, detail) = match &record.status {
            played::RunStatus::Done => (EndStatus::Done, None),
            played::RunStatus::Diverged { round, cause } => {
                (EndStatus::Diverged, Some(format!("round {round}: {cause}")))
            }
        };
        Self {
            provenance,
            ending: Ending { status, detail, rounds: record.rounds },
            rows: record.checkpoints.iter().map(TraceRow::new).collect(),
            measures: record.measures.clone(),
        }
    }
}

impl TraceRow {
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

impl TableProvenance {
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
    let fields: Vec<WrittenColumn> = CHECKPOINTS.iter().chain(GAUGES).map(WrittenColumn::from).collect();
    let mut table = TableWriter::new(Vec::new(), TRACE, &fields, metadata, 1)?;
    table.push(row_values(&trace.rows))?;
    table.finish()
}

/// The result of the run that [`write_cell`] wrote.
///
/// # Errors
/// Bytes that are not a sound Parquet file, another schema, missing metadata or columns.
pub fn read_cell(bytes: &[u8]) -> Result<Stored, TraceError> {
    guarded(|| read(bytes))
}

fn read(bytes: &[u8]) -> Result<Stored, TraceError> {
    // The types of the columns are those of Parquet, so that the copy of Arrow's schema need not be decoded.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let file =
        ParquetRecordBatchReaderBuilder::try_new_with_options(CheckedParquet(Bytes::copy_from_slice(bytes)), options)
            .map_err(TraceError::Read)?;
    let pairs = file.metadata().file_metadata().key_value_metadata();
    let pairs = pairs.into_iter().flatten();
    let metadata: BTreeMap<&str, &str> =
        pairs.filter_map(|pair| Some((pair.key.as_str(), pair.value.as_deref()?))).collect();
    let schema = entry(&metadata, "noregret.schema")?;
    if schema != TRACE {
        return Err(TraceError::Content(format!("its schema is `{schema}`; this version reads `{TRACE}`")));
    }
    let status = entry(&metadata, "noregret.status")?;
    let ending = Ending {
        status: EndStatus::from_word(status)
            .ok_or_else(|| TraceError::Content(format!("unknown status `{status}`")))?,
        detail: metadata.get("noregret.detail").map(|detail| (*detail).to_owned()),
        rounds: entry(&metadata, "noregret.rounds")?
            .parse()
            .map_err(|error| TraceError::Content(format!("metadata `noregret.rounds`: {error}")))?,
    };
    let tuned = metadata.get("noregret.tuned").map(|tuned| serde_json::from_str(tuned)).transpose();
    let tuned = tuned.map_err(|error| TraceError::Content(format!("metadata `noregret.tuned`: {error}")))?;
    let measures = read_measures(entry(&metadata, "noregret.measures")?)
        .ok_or_else(|| TraceError::Content("metadata `noregret.measures` does not hold numbers by name".into()))?;
    // A column without values, of which most traces have some, is not unpacked.
    let groups = file.metadata().row_groups();
    let empty = |group: &RowGroupMetaData, leaf: usize| {
        let nulls = group.column(leaf).statistics().and_then(Statistics::null_count_opt);
        nulls.is_some_and(|nulls| i64::try_from(nulls) == Ok(group.num_rows()))
    };
    let leaves = 0..file.parquet_schema().num_columns();
    let filled = leaves.filter(|&leaf| groups.iter().any(|group| !empty(group, leaf)));
    let mask = ProjectionMask::leaves(file.parquet_schema(), filled);
    let (schema, mut rows) = (file.schema().clone(), Vec::new());
    for batch in file.with_projection(mask).build().map_err(TraceError::Read)? {
        let batch = batch.map_err(|error| TraceError::Read(error.into()))?;
        read_rows(&schema, &batch, &mut rows)?;
    }
    Ok(Stored { tuned, ending, rows, measures })
}

fn read_measures(text: &str) -> Option<BTreeMap<String, f64>> {
    let measures: BTreeMap<String, String> = serde_json::from_str(text).ok()?;
    measures.into_iter().map(|(name, number)| Some((name, number.parse().ok()?))).collect()
}

fn entry<'a>(metadata: &BTreeMap<&str, &'a str>, name: &str) -> Result<&'a str, TraceError> {
    metadata.get(name).copied().ok_or_else(|| TraceError::Content(format!("metadata `{name}` is missing")))
}

/// Reads rows; the columns of `schema` that `batch` does not have are null.
fn read_rows(schema: &Schema, batch: &RecordBatch, rows: &mut Vec<TraceRow>) -> Result<(), TraceError> {
    let counts = |name| values::<UInt64Type>(schema, batch, name);
    let numbers = |name| values::<Float64Type>(schema, batch, name);
    let required = |name: &str| TraceError::Content(format!("column `{name}` has no value in a row"));
    let (t, loss) = (counts("t")?, numbers("cumulative_loss")?);
    let (error, comparator) = (numbers("cumulative_error")?, numbers("comparator_loss")?);
    let gauges = rows_of(batch.num_rows(), counts, numbers)?;
    for (i, gauges) in gauges.into_iter().enumerate() {
        rows.push(TraceRow {
            t: t[i].ok_or_else(|| required("t"))?,
            cumulative_loss: loss[i].ok_or_else(|| required("cumulative_loss"))?,
            cumulative_error: error[i],
            comparator_loss: comparator[i],
            gauges,
        });
    }
    Ok(())
}

fn values<T: ArrowPrimitiveType>(
    schema: &Schema,
    batch: &RecordBatch,
    name: &str,
) -> Result<Vec<Option<T::Native>>, TraceError> {
    let field = schema.field_with_name(name);
    let field = field.map_err(|_| TraceError::Content(format!("no column `{name}`")))?;
    let Some(array) = batch.column_by_name(name) else { return Ok(vec![None; batch.num_rows()]) };
    let array = array.as_primitive_opt::<T>();
    let wrong = || TraceError::Content(format!("column `{name}` is of type {}", field.data_type()));
    Ok(array.ok_or_else(wrong)?.iter().collect())
}
