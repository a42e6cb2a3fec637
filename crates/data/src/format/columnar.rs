//! Parquet and Arrow IPC as cells: numbers, text and dates of any width, with or without dictionaries.

use std::io::{Cursor, Read, Seek, SeekFrom};

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use arrow::array::{Array, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::{FileReader, StreamReader};
use bytes::Bytes;

use crate::blocks::ColumnSource;
use crate::error::{DataError, Location};
use crate::format::arrays::{BatchColumn, is_read, values};
use crate::format::cells::{Cells, FileCell};
use crate::format::compression::Compression;
use crate::format::ipc::{ARROW, look_through};
use crate::format::parquet::{MAGIC, guarded, is_sound, parts, remedy, unpacked};
use crate::format::{DataSource, SourceText, open_file};
use crate::thrift::CheckedParquet;

/// Rows decoded at a time.
const BATCH: usize = 8192;

/// Microseconds of a second.
const MICROS: f64 = 1e6;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, String>> + Send>;

/// What is to be read, once it is known which columns are.
type StartBatches = Box<dyn FnOnce(Vec<usize>) -> Result<Batches, String> + Send>;

/// The rows of a file of columns.
pub(super) struct ColumnarCells {
    file: String,
    names: Vec<String>,
    schema: SchemaRef,
    start: Option<StartBatches>,
    batches: Batches,
    /// The columns of the current batch by their position in the file; None for those that are not used.
    batch: Vec<Option<BatchColumn>>,
    used: Vec<usize>,
    /// The current row of the batch, from 1, and the number of its rows.
    at: usize,
    len: usize,
    /// Rows before the batch.
    before: u64,
    arrow: bool,
}

impl ColumnarCells {
    /// Opens Parquet, or Arrow IPC where `arrow` says so.
    pub(super) fn open(source: &DataSource, text: SourceText, arrow: bool) -> Result<Self, DataError> {
        let name = text.file.clone();
        let direct = text.compression == Compression::None;
        match (source, text.blocks(source)) {
            (DataSource::Path(path), _) if direct => {
                let file = open_file(path)?;
                caught(&name, arrow, || if arrow { Self::ipc(&name, file) } else { Self::parquet(&name, file) })
            }
            (_, Some(blocks)) if !arrow => caught(&name, arrow, || Self::parquet(&name, blocks)),
            _ => {
                let bytes = Bytes::from(unpacked(text)?);
                caught(&name, arrow, || {
                    if arrow { Self::ipc(&name, Cursor::new(bytes)) } else { Self::parquet(&name, bytes) }
                })
            }
        }
    }

    fn parquet<R: ColumnSource>(file: &str, source: R) -> Result<Self, DataError> {
        let blocks = source.blocks();
        let wrong = |detail: String| DataError::Parquet { file: file.to_owned(), detail };
        let builder = ParquetRecordBatchReaderBuilder::try_new(CheckedParquet(source))
            .map_err(|error| wrong(remedy(error.to_string())))?;
        if builder.metadata().file_metadata().num_rows() <= 0 {
            return Err(DataError::Empty { file: file.to_owned(), what: "it has no rows" });
        }
        is_sound(file, builder.metadata())?;
        let schema = builder.schema().clone();
        let start = Box::new(move |positions: Vec<usize>| -> Result<Batches, String> {
            let mask = ProjectionMask::roots(builder.parquet_schema(), positions);
            if let Some(blocks) = blocks {
                blocks.announce(parts(builder.metadata(), &mask));
            }
            let batches = builder.with_projection(mask).with_batch_size(BATCH).build();
            let batches = batches.map_err(|error| error.to_string())?;
            Ok(Box::new(batches.map(|batch| batch.map_err(|error| error.to_string()))))
        });
        Ok(Self::new(file, schema, start, false))
    }

    fn ipc<R: Read + Seek + Send + 'static>(file: &str, mut source: R) -> Result<Self, DataError> {
        let wrong = |detail: String| DataError::Arrow { file: file.to_owned(), detail };
        let mut magic = [0; 6];
        look_through(&mut source).map_err(wrong)?;
        source.seek(SeekFrom::Start(0)).map_err(|error| wrong(error.to_string()))?;
        let of_file = source.read_exact(&mut magic).is_ok() && magic == *ARROW;
        source.seek(SeekFrom::Start(0)).map_err(|error| wrong(error.to_string()))?;
        // Each reader is made twice, because the columns to read are known only when the schema is.
        let (schema, start): (SchemaRef, StartBatches) = if of_file {
            let mut reader = FileReader::try_new(source, None).map_err(|error| wrong(error.to_string()))?;
            let schema = reader.schema();
            let start = move |positions: Vec<usize>| -> Result<Batches, String> {
                reader.set_index(0).map_err(|error| error.to_string())?;
                let batches = reader.map(move |batch| {
                    batch.and_then(|batch| batch.project(&positions)).map_err(|error| error.to_string())
                });
                Ok(Box::new(batches))
            };
            (schema, Box::new(start))
        } else {
            let reader = StreamReader::try_new(source, None).map_err(|error| wrong(error.to_string()))?;
            let schema = reader.schema();
            let start = move |positions: Vec<usize>| -> Result<Batches, String> {
                let batches = reader.map(move |batch| {
                    batch.and_then(|batch| batch.project(&positions)).map_err(|error| error.to_string())
                });
                Ok(Box::new(batches))
            };
            (schema, Box::new(start))
        };
        Ok(Self::new(file, schema, start, true))
    }

    fn new(file: &str, schema: SchemaRef, start: StartBatches, arrow: bool) -> Self {
        Self {
            file: file.to_owned(),
            names: schema.fields().iter().map(|field| field.name().clone()).collect(),
            schema,
            start: Some(start),
            batches: Box::new(std::iter::empty()),
            batch: Vec::new(),
            used: Vec::new(),
            at: 0,
            len: 0,
            before: 0,
            arrow,
        }
    }

    fn wrong(&self, detail: String) -> DataError {
        let file = self.file.clone();
        if self.arrow { DataError::Arrow { file, detail } } else { DataError::Parquet { file, detail: remedy(detail) } }
    }

    /// Decodes the next batch with rows; returns false at the end.
    fn next_batch(&mut self) -> Result<bool, DataError> {
        self.before += self.len as u64;
        (self.at, self.len) = (0, 0);
        while self.len == 0 {
            let Some(batch) = self.batches.next() else {
                return match self.before {
                    0 => Err(DataError::Empty { file: self.file.clone(), what: "it has no rows" }),
                    _ => Ok(false),
                };
            };
            let batch = batch.map_err(|detail| self.wrong(detail))?;
            self.len = batch.num_rows();
            self.batch.clear();
            self.batch.resize_with(self.names.len(), || None);
            for (&position, column) in self.used.iter().zip(batch.columns()) {
                self.batch[position] = Some(values(column).map_err(|detail| self.wrong(detail))?);
            }
        }
        Ok(true)
    }
}

/// [`guarded`], with the error of the format.
fn caught<T>(file: &str, arrow: bool, read: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    guarded(file, read).map_err(|error| match error {
        DataError::Parquet { file, detail } if arrow => DataError::Arrow { file, detail },
        error => error,
    })
}

impl Cells for ColumnarCells {
    fn file(&self) -> &str {
        &self.file
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn project(&mut self, positions: &[usize]) -> Result<(), DataError> {
        let mut used = positions.to_vec();
        used.sort_unstable();
        used.dedup();
        for &position in &used {
            let kind = self.schema.field(position).data_type();
            if !is_read(kind) {
                let (file, column, kind) = (self.file.clone(), self.names[position].clone(), kind.to_string());
                return Err(DataError::NotNumeric { file, column, kind });
            }
        }
        if let Some(start) = self.start.take() {
            let file = self.file.clone();
            let batches = caught(&file, self.arrow, || start(used.clone()).map_err(|detail| self.wrong(detail)))?;
            (self.batches, self.used) = (batches, used);
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        if self.at == self.len {
            let file = self.file.clone();
            if !caught(&file, self.arrow, || self.next_batch())? {
                return Ok(false);
            }
        }
        self.at += 1;
        Ok(true)
    }

    fn cell(&self, position: usize) -> FileCell<'_> {
        let row = self.at.saturating_sub(1);
        match &self.batch[position] {
            None => FileCell::Missing,
            Some(BatchColumn::Number(values)) if values.is_valid(row) => FileCell::Number(values.value(row)),
            Some(BatchColumn::Text(values)) if values.is_valid(row) => FileCell::Text(values.value(row).as_bytes()),
            Some(BatchColumn::LargeText(values)) if values.is_valid(row) => {
                FileCell::Text(values.value(row).as_bytes())
            }
            Some(BatchColumn::TextView(values)) if values.is_valid(row) => FileCell::Text(values.value(row).as_bytes()),
            Some(BatchColumn::Date(values)) if values.is_valid(row) => {
                FileCell::Date(values.value(row) as f64 / MICROS)
            }
            Some(_) => FileCell::Missing,
        }
    }

    fn location(&self, position: usize) -> Location {
        let (row, column) = (self.before + self.at as u64, self.names[position].clone());
        Location { file: self.file.clone(), row, lines: None, column }
    }
}

/// Whether the bytes begin Parquet or Arrow IPC, and whether it is the latter.
pub(super) fn is_columnar(head: &[u8]) -> Option<bool> {
    // A stream begins with its continuation marker and the length of a schema.
    let stream = matches!(head, [0xff, 0xff, 0xff, 0xff, _, _, _, 0, ..]);
    if head.starts_with(MAGIC) {
        return Some(false);
    }
    (head.starts_with(ARROW) || stream).then_some(true)
}
