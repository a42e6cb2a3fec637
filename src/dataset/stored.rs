//! A prepared table as Parquet bytes. The same table gives the same bytes, and is read back bit for bit.

use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
use ::parquet::basic::{Compression, Encoding, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow::array::{ArrayRef, Float64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use bytes::Bytes;

use crate::dataset::error::DataError;
use crate::dataset::format::open::open;
use crate::dataset::format::parquet::last_column;
use crate::dataset::format::{Format, ReadOptions, Source};
use crate::dataset::table::{Table, read};

/// Rows of a row group: a few megabytes for common widths.
const ROW_GROUP: usize = 100_000;

/// Level of zstd.
const LEVEL: i32 = 3;

/// The name of these bytes in messages.
const NAME: &str = "prepared table";

/// A table as Parquet: the inputs in order, then the target, as non-null f64. `metadata` is written to the footer in
/// the given order. The encoding (byte-stream split) groups the similar bytes of neighbouring values before zstd.
pub fn to_parquet(table: &Table, metadata: &[(String, String)]) -> Result<Vec<u8>, DataError> {
    write(table, metadata).map_err(|error| DataError::Parquet { file: NAME.into(), detail: error.to_string() })
}

fn write(table: &Table, metadata: &[(String, String)]) -> Result<Vec<u8>, ParquetError> {
    let names = table.input_names.iter().chain([&table.target_name]);
    let fields: Vec<Field> = names.map(|name| Field::new(name, DataType::Float64, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let metadata = metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
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
        let last = (first + ROW_GROUP).min(table.rows());
        let input = |column: usize| -> ArrayRef {
            Arc::new((first..last).map(|row| table.inputs.row(row)[column]).collect::<Float64Array>())
        };
        let mut columns: Vec<ArrayRef> = (0..table.inputs.cols()).map(input).collect();
        columns.push(Arc::new(Float64Array::from(table.targets[first..last].to_vec())));
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
    }
    writer.close()?;
    Ok(bytes)
}

/// The table that [`to_parquet`] wrote: the last column is the target.
pub fn from_parquet(bytes: &[u8]) -> Result<Table, DataError> {
    let last = last_column(NAME, Bytes::copy_from_slice(bytes))?;
    let source = Source::Bytes { name: NAME.into(), bytes: bytes.into() };
    let options = ReadOptions { format: Some(Format::Parquet), target: Some(last), ..ReadOptions::default() };
    read(open(&source, &options)?.as_mut(), None, |_, _| {})
}
