//! Parquet: numeric columns of any width, read as f64.

use std::cell::Cell;
use std::io::Read;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use arrow::array::{Array, Float64Array, RecordBatch};
use arrow::datatypes::DataType;
use bytes::Bytes;

use crate::blocks::ColumnSource;
use crate::encode::choices::UnlabelledRows;
use crate::error::{DataError, Location};
use crate::format::arrays::numbers;
use crate::format::compression::Compression;
use crate::format::select::select;
use crate::format::{DataSource, ReadOptions, ReaderColumns, RowReader, SourceText, open_file};
use crate::http::NETWORK;
use crate::thrift::CheckedParquet;

/// The first and last bytes of every Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// The most bytes of a Parquet file that is itself compressed, since it is unpacked into memory.
const MOST_UNPACKED: u64 = 1 << 32;

/// Rows decoded at a time.
const BATCH: usize = 8192;

/// Reads rows from Parquet. Booleans count as 0 and 1; a null is an error.
pub(crate) struct ParquetReader {
    file: String,
    columns: ReaderColumns,
    batches: ParquetRecordBatchReader,
    /// Columns of the current batch: the inputs, then the target.
    batch: Vec<Float64Array>,
    /// Rows of `batch` that were returned.
    used: usize,
    /// What is wrong with the row of `batch` with this number, from 0; those before it are sound.
    bad: Option<(usize, DataError)>,
    /// Data rows before `batch`.
    row: u64,
    /// Whether rows without a target have the target NaN.
    unlabelled: bool,
    done: bool,
}

impl ParquetReader {
    pub(super) fn open(source: &DataSource, text: SourceText, options: &ReadOptions) -> Result<Self, DataError> {
        if !text.head.starts_with(MAGIC) {
            let detail = "it does not begin with PAR1".to_owned();
            return Err(DataError::Parquet { file: text.file, detail });
        }
        let name = text.file.clone();
        match (source, text.blocks(source)) {
            (DataSource::Path(path), _) if text.compression == Compression::None => {
                let file = open_file(path)?;
                guarded(&name, || Self::build(text.file, file, options))
            }
            (_, Some(blocks)) => guarded(&name, || Self::build(text.file, blocks, options)),
            _ => {
                let bytes = Bytes::from(unpacked(text)?);
                guarded(&name, || Self::build(name.clone(), bytes, options))
            }
        }
    }

    fn build<R: ColumnSource>(file: String, source: R, options: &ReadOptions) -> Result<Self, DataError> {
        let blocks = source.blocks();
        let parquet_error = |error: ::parquet::errors::ParquetError| DataError::Parquet {
            file: file.clone(),
            detail: remedy(error.to_string()),
        };
        let builder = ParquetRecordBatchReaderBuilder::try_new(CheckedParquet(source)).map_err(parquet_error)?;
        let fields = builder.schema().fields().clone();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let columns = select(&file, &names, options, None)?;
        let mut positions = columns.input_positions.clone();
        positions.push(columns.target_position);
        for &position in &positions {
            let kind = fields[position].data_type();
            if !(kind.is_numeric() || *kind == DataType::Boolean) {
                let (column, kind) = (names[position].clone(), kind.to_string());
                return Err(DataError::NotNumeric { file, column, kind });
            }
        }
        if builder.metadata().file_metadata().num_rows() <= 0 {
            return Err(DataError::Empty { file, what: "it has no rows" });
        }
        is_sound(&file, builder.metadata())?;
        let unlabelled = options.encoding.unlabelled == UnlabelledRows::Keep;
        let mask = ProjectionMask::roots(builder.parquet_schema(), positions);
        if let Some(blocks) = blocks {
            blocks.announce(parts(builder.metadata(), &mask));
        }
        let batches = builder.with_projection(mask).with_batch_size(BATCH).build().map_err(parquet_error)?;
        Ok(Self { file, columns, batches, batch: Vec::new(), used: 0, bad: None, row: 0, unlabelled, done: false })
    }

    /// Decodes the next batch; returns false at the end.
    fn advance(&mut self) -> Result<bool, DataError> {
        self.row += self.batch_rows() as u64;
        let parquet_error = |detail: String| DataError::Parquet { file: self.file.clone(), detail: remedy(detail) };
        let Some(batch) = self.batches.next() else { return Ok(false) };
        let batch = batch.map_err(|error| parquet_error(error.to_string()))?;
        self.batch = self
            .columns
            .inputs
            .iter()
            .chain([&self.columns.target])
            .map(|name| column(&batch, name))
            .collect::<Result<_, _>>()
            .map_err(parquet_error)?;
        self.used = 0;
        if self.unlabelled
            && let Some(target) = self.batch.last_mut().filter(|target| target.null_count() > 0)
        {
            *target = target.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        }
        for (values, name) in self.batch.iter().zip(self.columns.inputs.iter().chain([&self.columns.target])) {
            let unlabelled = self.unlabelled && *name == self.columns.target;
            let sound = |i: usize| {
                let value = values.value(i);
                values.is_valid(i) && (value.is_finite() || (unlabelled && value.is_nan()))
            };
            let before = self.bad.as_ref().map_or(values.len(), |(first, _)| *first);
            if let Some(i) = (0..before).find(|&i| !sound(i)) {
                let row = self.row + i as u64 + 1;
                let at = Box::new(Location { file: self.file.clone(), row, lines: None, column: name.clone() });
                let error = match values.is_null(i) {
                    true => DataError::NotANumber { at, text: "null".into() },
                    false => DataError::NotFinite { at, text: values.value(i).to_string() },
                };
                self.bad = Some((i, error));
            }
        }
        Ok(true)
    }

    fn batch_rows(&self) -> usize {
        self.batch.first().map_or(0, Float64Array::len)
    }

    fn next_rows(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        let mut rows = 0;
        while rows < limit {
            if let Some((_, error)) = self.bad.take_if(|(row, _)| *row == self.used) {
                return Err(error);
            }
            if self.used == self.batch_rows() && !self.advance()? {
                self.done = true;
                break;
            }
            let sound = self.bad.as_ref().map_or_else(|| self.batch_rows(), |(row, _)| *row);
            let take = (limit - rows).min(sound - self.used);
            let Some((target, columns)) = self.batch.split_last() else { break };
            for i in self.used..self.used + take {
                inputs.extend(columns.iter().map(|column| column.value(i)));
            }
            targets.extend_from_slice(&target.values()[self.used..self.used + take]);
            self.used += take;
            rows += take;
        }
        Ok(rows)
    }
}

impl RowReader for ParquetReader {
    fn columns(&self) -> &ReaderColumns {
        &self.columns
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        if self.done {
            return Ok(0);
        }
        let file = self.file.clone();
        let rows = guarded(&file, || self.next_rows(limit, inputs, targets));
        self.done |= rows.is_err();
        rows
    }
}

/// All bytes of a file of columns, unpacked into memory, because its end says what it holds.
pub(super) fn unpacked(mut text: SourceText) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    let read = text.bytes.by_ref().take(MOST_UNPACKED + 1).read_to_end(&mut bytes);
    read.map_err(|error| text.error(error))?;
    if bytes.len() as u64 > MOST_UNPACKED {
        let detail = "it unpacks to more than 4 GiB of memory; decompress the file first".to_owned();
        return Err(DataError::Parquet { file: text.file, detail });
    }
    Ok(bytes)
}

/// Refuses a footer whose offsets the parquet crate would assert about.
pub(super) fn is_sound(file: &str, metadata: &ParquetMetaData) -> Result<(), DataError> {
    let sound = |column: &ColumnChunkMetaData| {
        let start = column.dictionary_page_offset().unwrap_or(0).min(column.data_page_offset());
        start >= 0 && column.compressed_size() >= 0
    };
    if metadata.row_groups().iter().flat_map(|group| group.columns()).all(sound) {
        return Ok(());
    }
    Err(DataError::Parquet { file: file.to_owned(), detail: "its footer is damaged".into() })
}

/// Where the parts of each column are that is read.
pub(super) fn parts(metadata: &ParquetMetaData, mask: &ProjectionMask) -> Vec<Vec<Range<u64>>> {
    let read = (0..metadata.file_metadata().schema_descr().num_columns()).filter(|&leaf| mask.leaf_included(leaf));
    let part = |column: &ColumnChunkMetaData| {
        let (start, length) = column.byte_range();
        start..start.saturating_add(length)
    };
    read.map(|leaf| metadata.row_groups().iter().map(|group| part(group.column(leaf))).collect()).collect()
}

/// The name of the last column of a Parquet file in memory.
pub(crate) fn last_column(file: &str, bytes: Bytes) -> Result<String, DataError> {
    let error = |detail| DataError::Parquet { file: file.to_owned(), detail };
    guarded(file, || {
        let footer = ArrowReaderMetadata::load(&CheckedParquet(bytes), ArrowReaderOptions::new());
        let footer = footer.map_err(|damage| error(damage.to_string()))?;
        let last = footer.schema().fields().last().ok_or_else(|| error("it has no columns".into()))?;
        Ok(last.name().clone())
    })
}

thread_local! {
    /// Whether a panic of this thread becomes an error, so that nothing is printed.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read`; a panic in it becomes an error, and nothing is printed. The crates of Parquet and Arrow assert things that
/// damaged files violate.
pub(crate) fn guarded<T>(file: &str, read: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                before(info)
            }
        }));
    });
    let damaged = |_| Err(DataError::Parquet { file: file.to_owned(), detail: "its structure is damaged".into() });
    let outer = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(damaged);
    GUARDED.set(outer);
    outcome
}

/// A column of a batch as f64.
fn column(batch: &RecordBatch, name: &str) -> Result<Float64Array, String> {
    let values = batch.column_by_name(name).ok_or_else(|| format!("column `{name}` is missing from a row group"))?;
    numbers(values)
}

/// What the reader says, and what to do where it cannot read a compression.
pub(crate) fn remedy(detail: String) -> String {
    if let Some(at) = detail.find(NETWORK) {
        return detail[at..].to_owned();
    }
    if detail.contains("Disabled feature at compile time") {
        return format!(
            "its pages are compressed by {}, which this program does not read; compress them by zstd, snappy or gzip",
            detail.rsplit(' ').next().unwrap_or_default()
        );
    }
    detail
}
