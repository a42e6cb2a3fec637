//! File formats: CSV, JSON lines, ARFF, LIBSVM text, Parquet and Arrow IPC, plain or compressed, read block by block in bounded memory.

mod arff;
mod arrays;
pub(crate) mod cells;
mod columnar;
pub(crate) mod columns;
pub(crate) mod compression;
mod csv;
mod ipc;
mod ipc_layout;
mod jsonl;
mod libsvm;
pub mod open;
pub(crate) mod parquet;
pub mod parts;
mod parts_reader;
mod records;
mod select;
mod waiting;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocks::HttpBlocks;
use crate::bucket::is_bucket;
use crate::encode::choices::ColumnEncoding;
use crate::encode::plan::EncodingPlan;
use crate::error::{DataError, excerpt};
pub use crate::format::columns::{ReaderColumns, told_of_indices};
use crate::format::compression::{Compression, decompress, peek};
use crate::format::waiting::WaitingReader;
use crate::http::{HttpFile, is_address};

/// The format of a file, apart from its compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Text fields separated by commas, semicolons or tabs, whichever is most frequent in the first line.
    Csv,
    /// `label index:value ...` per line; absent indices are zero.
    Libsvm,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, as a file (Feather version 2) or a stream.
    Arrow,
    /// JSON lines: an object on each line, whose keys are the columns.
    Jsonl,
    /// The text format of Weka and OpenML, whose header declares the columns.
    Arff,
}

impl FromStr for FileFormat {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "csv" => Ok(FileFormat::Csv),
            "libsvm" => Ok(FileFormat::Libsvm),
            "parquet" => Ok(FileFormat::Parquet),
            "arrow" | "feather" => Ok(FileFormat::Arrow),
            "jsonl" | "ndjson" => Ok(FileFormat::Jsonl),
            "arff" => Ok(FileFormat::Arff),
            _ => Err(format!("`{word}` is not a format; use csv, jsonl, libsvm, parquet, arrow or arff")),
        }
    }
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Its format. If None, the format is recognised by the content; text on standard input is CSV or JSON lines.
    pub format: Option<FileFormat>,
    /// Whether the first line of a CSV file names the columns. If not, they are called `1`, `2`, ..., or with `letters`
    /// `c1`, `c2`, ...
    pub header: bool,
    /// Whether the names of columns without names begin with a letter.
    pub letters: bool,
    /// The character between the fields of CSV. If None, the first line shows it.
    pub delimiter: Option<u8>,
    /// The target column: its name, or its position from 1 if no column has that name. Not needed for LIBSVM text,
    /// whose target is the label.
    pub target: Option<String>,
    /// The input columns, in this order. If None, all other columns in file order.
    pub inputs: Option<Vec<String>>,
    /// Columns that are neither inputs nor the target.
    pub drop: Vec<String>,
    /// How columns become numbers (not of LIBSVM text, which holds numbers only).
    pub encoding: ColumnEncoding,
    /// Encoders that have learned from earlier rows, for reading further ones, perhaps without a target column;
    /// `target`, `inputs`, `drop` and `encoding` then do not count.
    pub plan: Option<Box<EncodingPlan>>,
    /// Whether targets are neither needed nor looked at; needs a plan.
    pub ignore_target: bool,
    /// Columns whose values are told as they stand in the file, for each row ([`RowReader::marks`]).
    pub marks: Vec<String>,
    /// Columns of numbers that are told beside the target, for each row ([`RowReader::further_targets`]).
    pub further_targets: Vec<String>,
    /// Whether these are weights of the rows: of at least 0, and there where a row has a target.
    pub weights: bool,
    /// A column by which rows are passed over, and a value: those are, whose value is at or before it ([`super::encode::marks`]).
    pub after: Option<(String, String)>,
    /// How many of the rows that are exactly at that value are passed over; all if it is not said.
    pub after_rows: Option<u64>,
    /// Whether rows that cannot be read can be passed over one by one ([`RowReader::pass_over`]).
    pub tolerant: bool,
    /// Whether, of several files, none may have columns that the first one does not have, although inputs are named.
    pub exact: bool,
    /// Whether the target may be the only column, since inputs are made of earlier targets.
    pub alone: bool,
    /// The number of inputs of LIBSVM text. If None, a first pass over the file finds the largest index.
    pub width: Option<usize>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            header: true,
            letters: false,
            delimiter: None,
            target: None,
            inputs: None,
            drop: Vec::new(),
            encoding: ColumnEncoding::default(),
            plan: None,
            ignore_target: false,
            marks: Vec::new(),
            further_targets: Vec::new(),
            weights: false,
            after: None,
            after_rows: None,
            tolerant: false,
            exact: false,
            alone: false,
            width: None,
        }
    }
}

/// Where bytes come from.
#[derive(Clone, Debug)]
pub enum DataSource {
    /// A file, which can be opened any number of times.
    Path(PathBuf),
    /// Standard input, which can be read once.
    Stdin,
    /// A file behind an address, at an HTTP server or in a bucket, which can be opened any number of times.
    Remote(Arc<HttpFile>),
    /// Bytes in memory, which can be opened any number of times, under a name for messages.
    Bytes { name: String, bytes: Arc<[u8]> },
}

impl DataSource {
    /// The source of a command-line argument: `-` is standard input, `https://`, `http://` and `s3://` begin an address, anything
    /// else is a path.
    pub fn argument(text: &str) -> Self {
        match text {
            "-" => DataSource::Stdin,
            address if is_address(address) || is_bucket(address) => {
                DataSource::Remote(Arc::new(HttpFile::new(address)))
            }
            path => DataSource::Path(PathBuf::from(path)),
        }
    }

    /// One of the files that [`parts::files`] found, which may be in a bucket.
    pub fn part(path: &Path) -> Self {
        match path.to_str().filter(|text| is_bucket(text)) {
            Some(address) => Self::argument(address),
            None => DataSource::Path(path.to_owned()),
        }
    }

    /// One of those files that will be read to its end, after another one.
    fn next_part(path: &Path) -> Self {
        let mut source = Self::part(path);
        if let DataSource::Remote(file) = &mut source
            && let Some(file) = Arc::get_mut(file)
        {
            file.goes_on = true;
        }
        source
    }

    /// Whether it can be opened again. Scaling, and LIBSVM text of unknown width, need this.
    pub(crate) fn reopens(&self) -> bool {
        !matches!(self, DataSource::Stdin)
    }

    fn open(&self) -> Result<Box<dyn Read + Send>, DataError> {
        match self {
            DataSource::Path(path) => Ok(Box::new(open_file(path)?)),
            DataSource::Stdin => {
                let failed = |source| DataError::Io { file: self.to_string(), doing: "read it", source };
                Ok(Box::new(WaitingReader::stdin().map_err(failed)?))
            }
            DataSource::Remote(file) => Ok(Box::new(file.reader())),
            DataSource::Bytes { bytes, .. } => Ok(Box::new(io::Cursor::new(Arc::clone(bytes)))),
        }
    }
}

impl fmt::Display for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataSource::Path(path) => path.display().fmt(f),
            DataSource::Stdin => f.write_str("standard input"),
            DataSource::Remote(file) => file.fmt(f),
            DataSource::Bytes { name, .. } => f.write_str(name),
        }
    }
}

fn open_file(path: &Path) -> Result<File, DataError> {
    let error = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => DataError::NoFile { file: path.display().to_string() },
        _ => DataError::Io { file: path.display().to_string(), doing: "open it", source },
    };
    let file = File::open(path).map_err(error)?;
    if file.metadata().map_err(error)?.is_dir() {
        return Err(error(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    Ok(file)
}

/// A source of rows. After an error it yields no more rows.
pub trait RowReader: Send {
    /// The columns it yields.
    fn columns(&self) -> &ReaderColumns;

    /// Appends at most `limit` further rows: their inputs, row-major, to `inputs`, and their targets to `targets`.
    /// Returns the number of rows, which is 0 at the end. All values are finite, except the targets of rows without one
    /// where the options keep these: they are NaN. After an error, part of a row may have been appended.
    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError>;

    /// The encoders, with what they have learned from the rows so far; None where rows are as the file has them.
    fn plan(&self) -> Option<&EncodingPlan> {
        None
    }

    /// The values of the columns that are marks, of the rows of the last block: one after the other for each row.
    fn marks(&self) -> &[String] {
        &[]
    }

    /// The further targets of the rows of the last block: one after the other for each row, NaN for one that is missing.
    fn further_targets(&self) -> &[f64] {
        &[]
    }

    /// After the error of one row, goes on with the row after it, if this reader can.
    fn pass_over(&mut self) -> bool {
        false
    }

    /// How many rows were left out so far.
    fn skipped(&self) -> u64 {
        0
    }

    /// Files without rows among several, which were passed over so far.
    fn empty_files(&self) -> &[String] {
        &[]
    }
}

/// A reader of one of the text formats.
trait TextReader: Send {
    /// The columns it yields.
    fn columns(&self) -> &ReaderColumns;

    /// Appends the next row; returns false at the end. It is not called again after the end or an error.
    fn next_row(&mut self, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<bool, DataError>;
}

/// The longest quoted field of CSV in bytes. A longer one has most likely lost its closing quote. The limit also bounds
/// memory.
const LONGEST_FIELD: usize = 1 << 20;

/// The longest line of text in bytes, which bounds memory: far more than 2^20 numbers need.
const LONGEST_LINE: usize = 1 << 26;

/// The largest index of LIBSVM text. Rows are read with their zeros, so a huge wrong index would exhaust the memory.
pub(crate) const MOST_INPUTS: usize = 1 << 20;

/// The number of bytes at the beginning by which a format is recognised.
const HEAD: usize = 1 << 16;

/// The decompressed bytes of a source, known to be neither empty nor a web page.
struct SourceText {
    file: String,
    compression: Compression,
    /// The beginning, which `bytes` yields again.
    head: Vec<u8>,
    bytes: Box<dyn BufRead + Send>,
}

impl SourceText {
    fn open(source: &DataSource) -> Result<Self, DataError> {
        let file = source.to_string();
        let io_error = |compression| {
            let file = file.clone();
            move |source| read_error(&file, compression, source)
        };
        // A program that feeds us row by row through a pipe should not have to fill the pipe to get an answer.
        let enough = |head: &[u8]| !source.reopens() && head.trim_ascii_start().contains(&b'\n');
        let (compression, plain) = decompress(source.open()?).map_err(io_error(Compression::None))?;
        let (mut head, plain) = peek(plain, HEAD, enough).map_err(io_error(compression))?;
        if head.is_empty() {
            return Err(DataError::Empty { file, what: "the file is empty" });
        }
        if let Some(what) = foreign(&head) {
            return Err(DataError::Foreign { file, what });
        }
        if is_web_page(&head) {
            return Err(DataError::WebPage { file, beginning: excerpt(head.trim_ascii()) });
        }
        // Windows programs may write a byte order mark, which is not part of the first field.
        let mut bytes = io::BufReader::with_capacity(HEAD, plain);
        if head.starts_with(BYTE_ORDER_MARK) {
            head.drain(..BYTE_ORDER_MARK.len());
            let mut mark = [0; BYTE_ORDER_MARK.len()];
            bytes.read_exact(&mut mark).map_err(io_error(compression))?;
        }
        Ok(Self { file, compression, head, bytes: Box::new(bytes) })
    }

    /// Parts of the source in any order, if it is not compressed and they can be fetched.
    fn blocks(&self, source: &DataSource) -> Option<HttpBlocks> {
        match source {
            DataSource::Remote(file) if self.compression == Compression::None => HttpBlocks::of(file),
            _ => None,
        }
    }

    /// Reads the line of this number, with its line end, into `buffer`; returns false at the end.
    fn line(&mut self, number: u64, buffer: &mut Vec<u8>) -> Result<bool, DataError> {
        buffer.clear();
        let most = LONGEST_LINE as u64 + 1;
        let length = self.bytes.by_ref().take(most).read_until(b'\n', buffer).map_err(|error| self.error(error))?;
        if length > LONGEST_LINE {
            return Err(DataError::LongLine { file: self.file.clone(), line: number, most: LONGEST_LINE });
        }
        Ok(length > 0)
    }

    fn error(&self, source: io::Error) -> DataError {
        read_error(&self.file, self.compression, source)
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn read_error(file: &str, compression: Compression, source: io::Error) -> DataError {
    // Where the network fails, the file is not damaged.
    match compression {
        _ if source.kind() == io::ErrorKind::ConnectionAborted => {
            DataError::Io { file: file.to_owned(), doing: "read it", source }
        }
        Compression::None => DataError::Io { file: file.to_owned(), doing: "read it", source },
        _ => DataError::Compressed { file: file.to_owned(), compression, detail: source.to_string() },
    }
}

/// What a file is that begins with these bytes, where it is known to be no data that can be read.
fn foreign(head: &[u8]) -> Option<&'static str> {
    match head {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some("a zip archive (or a spreadsheet, .xlsx); unpack or export it first"),
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => Some("an SQLite database; export the table as CSV"),
        [0x89, b'H', b'D', b'F', ..] => Some("an HDF5 file; export the table as Parquet or CSV"),
        [b'F', b'E', b'A', b'1', ..] => Some("Feather of version 1; write it as version 2 or Parquet"),
        [b'O', b'R', b'C', ..] if head.contains(&0) => Some("an ORC file; write it as Parquet"),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some("a NumPy array; write it as CSV or Parquet"),
        [0x80, 2..=5, ..] => Some("a Python pickle; write the table as CSV or Parquet"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("text in UTF-16; save it as UTF-8"),
        _ => None,
    }
}

/// Whether text holds bytes that no text has.
fn is_binary(head: &[u8]) -> bool {
    head.contains(&0)
}

/// Whether the beginning of a file is that of an HTML or XML document.
fn is_web_page(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
    matches!(head, [b'<', b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_pages_are_recognised() {
        assert!(is_web_page(b"\n <!DOCTYPE html>"));
        assert!(is_web_page(b"\xef\xbb\xbf<html>"));
        assert!(is_web_page(b"<?xml version='1.0'?>"));
        assert!(!is_web_page(b"a,b\n<html>,1"));
        assert!(!is_web_page(b"<"));
    }
}
