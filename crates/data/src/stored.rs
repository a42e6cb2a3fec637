//! A prepared table as Parquet bytes. The same table gives the same bytes, and is read back bit for bit.

use std::ops::Range;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
use ::parquet::basic::{Compression, Encoding, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow::array::{Array, ArrayRef, AsArray, Float64Array, ListArray, RecordBatch, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Float64Type, Schema, UInt32Type};
use bytes::Bytes;
use noregret_numeric::linalg::compact::{Compact, Sparse};

use crate::error::DataError;
use crate::format::open::open;
use crate::format::parquet::{guarded, last_column};
use crate::format::{DataSource, FileFormat, ReadOptions};
use crate::table::{DataTable, read};
use crate::thrift::CheckedParquet;

/// Rows of a row group: a few megabytes for common widths.
const ROW_GROUP: usize = 100_000;

/// Level of zstd.
const LEVEL: i32 = 3;

/// The name of these bytes in messages.
const NAME: &str = "prepared table";

/// Where the footer of a sparse table has the names of its inputs, as JSON.
const INPUTS: &str = "noregret.inputs";

/// The lists of a sparse table: for each row, the numbers of the inputs that are not zero, from 0, and their values.
const LISTS: [&str; 2] = ["input", "value"];

/// A table as Parquet, with non-null columns: the inputs in order as f64 or, if the table is sparse, two lists (which
/// inputs of the row are not zero, and their values); then the target as f64. `metadata` is written to the footer in the
/// given order. The encoding (byte-stream split) groups the similar bytes of neighbouring values before zstd.
pub fn to_parquet(table: &DataTable, metadata: &[(String, String)]) -> Result<Vec<u8>, DataError> {
    write(table, metadata).map_err(|error| DataError::Parquet { file: NAME.into(), detail: error.to_string() })
}

fn write(table: &DataTable, metadata: &[(String, String)]) -> Result<Vec<u8>, ParquetError> {
    let number = |name: &str| Field::new(name, DataType::Float64, false);
    let mut metadata: Vec<KeyValue> =
        metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    let mut fields: Vec<Field> = match &table.inputs {
        Compact::Dense(_) => table.input_names.iter().map(|name| number(name)).collect(),
        Compact::Sparse(_) => {
            metadata.push(KeyValue::new(INPUTS.to_owned(), serde_json::json!(table.input_names).to_string()));
            let list = |name, kind| Field::new_list(name, element(kind), false);
            vec![list(LISTS[0], DataType::UInt32), list(LISTS[1], DataType::Float64)]
        }
    };
    fields.push(number(&table.target_name));
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_created_by("noregret".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_encoding(Encoding::BYTE_STREAM_SPLIT)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_key_value_metadata(Some(metadata))
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new_with_options(&mut bytes, Arc::clone(&schema), options)?;
    for first in (0..table.rows()).step_by(ROW_GROUP) {
        let rows = first..(first + ROW_GROUP).min(table.rows());
        let mut columns: Vec<ArrayRef> = match &table.inputs {
            Compact::Dense(inputs) => {
                let input = |column: usize| rows.clone().map(|row| inputs.row(row)[column]).collect::<Float64Array>();
                (0..inputs.cols()).map(|column| Arc::new(input(column)) as ArrayRef).collect()
            }
            Compact::Sparse(inputs) => lists(inputs, rows.clone())?,
        };
        columns.push(Arc::new(Float64Array::from(table.targets[rows].to_vec())));
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
    }
    writer.close()?;
    Ok(bytes)
}

/// The elements of a list.
fn element(kind: DataType) -> Field {
    Field::new("element", kind, false)
}

/// Some rows as [`LISTS`].
fn lists(inputs: &Sparse, rows: Range<usize>) -> Result<Vec<ArrayRef>, ParquetError> {
    let lengths = OffsetBuffer::from_lengths(rows.clone().map(|row| inputs.row(row).0.len()));
    let numbers: UInt32Array = rows.clone().flat_map(|row| inputs.row(row).0.iter().copied()).collect();
    let values: Float64Array = rows.flat_map(|row| inputs.row(row).1.iter().copied()).collect();
    let list = |kind, elements: ArrayRef| -> Result<ArrayRef, ParquetError> {
        Ok(Arc::new(ListArray::try_new(Arc::new(element(kind)), lengths.clone(), elements, None)?))
    };
    Ok(vec![list(DataType::UInt32, Arc::new(numbers))?, list(DataType::Float64, Arc::new(values))?])
}

/// The table that [`to_parquet`] wrote: the last column is the target.
pub fn from_parquet(bytes: &[u8]) -> Result<DataTable, DataError> {
    let bytes = Bytes::copy_from_slice(bytes);
    let last = last_column(NAME, bytes.clone())?;
    let damaged = |detail: String| DataError::Parquet { file: NAME.into(), detail };
    if let Some(table) = guarded(NAME, || sparse(bytes.clone(), &last).map_err(damaged))? {
        return Ok(table);
    }
    let source = DataSource::Bytes { name: NAME.into(), bytes: bytes[..].into() };
    drop(bytes);
    let options = ReadOptions { format: Some(FileFormat::Parquet), target: Some(last), ..ReadOptions::default() };
    read(open(&source, &options)?.as_mut(), None, |_, _| {})
}

/// The table, if it is sparse.
fn sparse(bytes: Bytes, target: &str) -> Result<Option<DataTable>, String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(CheckedParquet(bytes)).map_err(|error| error.to_string())?;
    let footer = builder.metadata().file_metadata().key_value_metadata();
    let names = footer.and_then(|entries| entries.iter().find(|entry| entry.key == INPUTS)?.value.as_deref());
    let Some(names) = names else { return Ok(None) };
    let input_names: Vec<String> = serde_json::from_str(names).map_err(|error| error.to_string())?;
    let (mut ends, mut columns, mut values, mut targets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for batch in builder.build().map_err(|error| error.to_string())? {
        let batch = batch.map_err(|error| error.to_string())?;
        let named = |name: &str| batch.column_by_name(name).ok_or_else(|| format!("it has no column `{name}`"));
        let list = |name: &str| -> Result<&ListArray, String> {
            named(name)?.as_list_opt::<i32>().ok_or_else(|| format!("`{name}` has no lists"))
        };
        let (numbers, entries) = (list(LISTS[0])?, list(LISTS[1])?);
        for row in 0..batch.num_rows() {
            let (numbers, entries) = (numbers.value(row), entries.value(row));
            if numbers.len() != entries.len() {
                return Err("its lists differ in length".into());
            }
            columns.extend_from_slice(numbers.as_primitive::<UInt32Type>().values());
            values.extend_from_slice(entries.as_primitive::<Float64Type>().values());
            ends.push(columns.len());
        }
        targets.extend_from_slice(named(target)?.as_primitive::<Float64Type>().values());
    }
    if !values.iter().chain(&targets).all(|value| value.is_finite()) {
        return Err("it holds a number that is not finite".into());
    }
    let inputs = Sparse::from_parts(input_names.len(), ends, columns, values);
    let inputs = Compact::Sparse(inputs.ok_or("its inputs are out of order")?);
    Ok(Some(DataTable { input_names, target_name: target.to_owned(), inputs, targets }))
}
