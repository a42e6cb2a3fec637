//! Tables as Parquet: the same bytes for the same values, whatever the machine, the time or the number of threads.

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringArray, UInt64Array};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field as ArrowField, Schema};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use crate::trace::schema::{ResultColumn, Type};
use noregret_data::thrift::CheckedParquet;

/// What goes wrong with a trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The bytes could not be written (a full disk, a closed pipe) or made.
    #[error("writing a table: {0}")]
    Write(#[source] ParquetError),
    /// The bytes are not a Parquet file, or a damaged one.
    #[error("reading a table: {0}")]
    Read(#[source] ParquetError),
    /// It is Parquet, but not what was expected.
    #[error("reading a table: {0}")]
    Content(String),
    /// The rows of a table were handed over out of order.
    #[error("writing a table: run {next} follows run {previous}; runs must be in ascending order of run_id, each once")]
    Order {
        /// The run written last.
        previous: String,
        /// The run that should have come before it.
        next: String,
    },
}

/// Runs `read`; a panic in it becomes an error. The parquet crate asserts things that damaged files violate.
pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T, TraceError>) -> Result<T, TraceError> {
    let damaged = |_| Err(TraceError::Content("its structure is damaged".into()));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(damaged)
}

/// All rows of a table, whatever its columns.
///
/// # Errors
/// Bytes that are not a sound Parquet file.
pub fn batch(bytes: Bytes) -> Result<RecordBatch, TraceError> {
    guarded(|| {
        let reader = ParquetRecordBatchReaderBuilder::try_new(CheckedParquet(bytes)).map_err(TraceError::Read)?;
        let schema = reader.schema().clone();
        let batches = reader.build().map_err(TraceError::Read)?.collect::<Result<Vec<_>, _>>();
        let rows = batches.and_then(|batches| concat_batches(&schema, &batches));
        rows.map_err(|error| TraceError::Read(error.into()))
    })
}

impl TraceError {
    /// The error of the operating system behind a failure to write, where there is one.
    pub fn io(&self) -> Option<&std::io::Error> {
        match self {
            TraceError::Write(ParquetError::External(cause)) => cause.downcast_ref(),
            _ => None,
        }
    }
}

/// A column of a table whose columns are known only when it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether it may be null.
    pub nullable: bool,
    /// Its unit, where it has one.
    pub unit: String,
    /// What it holds; becomes the `description` of the Arrow field.
    pub doc: String,
}

impl From<&ResultColumn> for WrittenColumn {
    fn from(column: &ResultColumn) -> Self {
        WrittenColumn {
            name: column.name.into(),
            kind: column.kind,
            nullable: column.nullable,
            unit: column.unit.into(),
            doc: column.doc.into(),
        }
    }
}

/// Values of one column; `None` is null.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnData {
    /// For [`Type::Text`].
    Text(Vec<Option<String>>),
    /// For [`Type::Count`].
    Count(Vec<Option<u64>>),
    /// For [`Type::Number`].
    Number(Vec<Option<f64>>),
}

impl ColumnData {
    fn array(self) -> ArrayRef {
        match self {
            ColumnData::Text(values) => Arc::new(StringArray::from(values)),
            ColumnData::Count(values) => Arc::new(UInt64Array::from(values)),
            ColumnData::Number(values) => Arc::new(Float64Array::from(values)),
        }
    }
}

/// Writes a table batch by batch.
pub struct TableWriter<W: Write + Send> {
    schema: Arc<Schema>,
    writer: ArrowWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// A table of these columns. `schema_id` and the units join `metadata` under `noregret.schema` and
    /// `noregret.units`. Rows must come sorted by the first `sorted` columns, ascending.
    pub fn new(
        out: W,
        schema_id: &str,
        fields: &[WrittenColumn],
        mut metadata: BTreeMap<String, String>,
        sorted: usize,
    ) -> Result<Self, TraceError> {
        let units: BTreeMap<_, _> =
            fields.iter().filter(|field| !field.unit.is_empty()).map(|field| (&field.name, &field.unit)).collect();
        metadata.insert("noregret.schema".into(), schema_id.into());
        metadata.insert("noregret.units".into(), serde_json::json!(units).to_string());
        let schema = Arc::new(Schema::new(fields.iter().map(arrow_field).collect::<Vec<_>>()));
        let properties = properties(fields, metadata, sorted).map_err(TraceError::Write)?;
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(TraceError::Write)?;
        Ok(Self { schema, writer })
    }

    /// Appends rows: one [`ColumnData`] per column, all of the same length.
    pub fn push(&mut self, columns: Vec<ColumnData>) -> Result<(), TraceError> {
        let arrays = columns.into_iter().map(ColumnData::array).collect();
        let batch =
            RecordBatch::try_new(self.schema.clone(), arrays).map_err(|error| TraceError::Write(error.into()))?;
        self.writer.write(&batch).map_err(TraceError::Write)
    }

    /// Rows in the row group that is being filled.
    pub fn pending_rows(&self) -> usize {
        self.writer.in_progress_rows()
    }

    /// Ends the row group that is being filled.
    pub fn end_group(&mut self) -> Result<(), TraceError> {
        self.writer.flush().map_err(TraceError::Write)
    }

    /// Writes the footer and gives back what was written to.
    pub fn finish(self) -> Result<W, TraceError> {
        self.writer.into_inner().map_err(TraceError::Write)
    }
}

fn arrow_field(field: &WrittenColumn) -> ArrowField {
    let kind = match field.kind {
        Type::Text => DataType::Utf8,
        Type::Count => DataType::UInt64,
        Type::Number => DataType::Float64,
    };
    ArrowField::new(&field.name, kind, field.nullable).with_metadata([("description", field.doc.as_str())])
}

/// The encodings that measurements favoured: zstd 3; a dictionary for strings only; numbers split into byte streams;
/// integers as packed differences. A fixed `created_by`, because the default carries the version of the Parquet
/// library.
fn properties(
    fields: &[WrittenColumn],
    metadata: BTreeMap<String, String>,
    sorted: usize,
) -> Result<WriterProperties, ParquetError> {
    let pairs = metadata.into_iter().map(|(name, value)| KeyValue::new(name, value)).collect();
    let order = (0..sorted as i32)
        .map(|column_idx| SortingColumn { column_idx, descending: false, nulls_first: false })
        .collect::<Vec<_>>();
    let mut builder = WriterProperties::builder()
        .set_created_by("noregret".into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(pairs))
        .set_sorting_columns((sorted > 0).then_some(order))
        // Row groups end where `end_group` says.
        .set_max_row_group_row_count(None)
        .set_max_row_group_bytes(None);
    for field in fields {
        let path = ColumnPath::new(vec![field.name.clone()]);
        builder = match field.kind {
            Type::Text => builder.set_column_dictionary_enabled(path, true),
            Type::Count => builder.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            Type::Number => builder.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
        };
    }
    Ok(builder.build())
}
