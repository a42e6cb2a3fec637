//! File formats: CSV, LIBSVM text and Parquet, plain or compressed, read block by block in bounded memory.

pub mod compression;
mod csv;
mod libsvm;
pub mod open;
pub(in crate::dataset) mod parquet;
mod select;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::dataset::error::{DataError, excerpt};
use crate::dataset::format::compression::{Compression, decompress, peek};

/// The format of a file, apart from its compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Text fields separated by commas, semicolons or tabs, whichever is most frequent in the first line.
    Csv,
    /// `label index:value ...` per line; absent indices are zero.
    Libsvm,
    /// Apache Parquet with numeric columns.
    Parquet,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "csv" => Ok(Format::Csv),
            "libsvm" => Ok(Format::Libsvm),
            "parquet" => Ok(Format::Parquet),
            _ => Err(format!("`{word}` is not a format; use csv, libsvm or parquet")),
        }
    }
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Its format. If None, the format is recognised by the content; standard input is always CSV.
    pub format: Option<Format>,
    /// Whether the first line of a CSV file names the columns. If not, they are called `1`, `2`, ...
    pub header: bool,
    /// The target column: its name, or its position from 1 if no column has that name. Not needed for LIBSVM text,
    /// whose target is the label.
    pub target: Option<String>,
    /// The input columns, in this order. If None, all other columns in file order.
    pub inputs: Option<Vec<String>>,
    /// The number of inputs of LIBSVM text. If None, a first pass over the file finds the largest index.
    pub width: Option<usize>,
    /// What is expected of targets.
    pub targets: Targets,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, header: true, target: None, inputs: None, width: None, targets: Targets::Required }
    }
}

/// What is expected of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Targets {
    /// Every row has one.
    #[default]
    Required,
    /// Rows may lack one (an empty field, a null); it is then NaN.
    Optional,
    /// The file need not have the column. The inputs are named, and what is read as targets means nothing.
    Ignored,
}

/// Where bytes come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, which can be opened any number of times.
    Path(PathBuf),
    /// Standard input, which can be read once.
    Stdin,
    /// Bytes in memory, which can be opened any number of times, under a name for messages.
    Bytes { name: String, bytes: Arc<[u8]> },
}

impl Source {
    /// The source of a command-line argument: `-` is standard input, anything else is a path.
    pub fn argument(text: &str) -> Self {
        if text == "-" { Source::Stdin } else { Source::Path(PathBuf::from(text)) }
    }

    /// Whether it can be opened again. Scaling, and LIBSVM text of unknown width, need this.
    pub fn reopens(&self) -> bool {
        !matches!(self, Source::Stdin)
    }

    fn open(&self) -> Result<Box<dyn Read + Send>, DataError> {
        match self {
            Source::Path(path) => Ok(Box::new(open_file(path)?)),
            Source::Stdin => Ok(Box::new(io::stdin())),
            Source::Bytes { bytes, .. } => Ok(Box::new(io::Cursor::new(Arc::clone(bytes)))),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Path(path) => path.display().fmt(f),
            Source::Stdin => f.write_str("standard input"),
            Source::Bytes { name, .. } => f.write_str(name),
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

/// The columns of a table: their names and their positions in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Names of the inputs, in the order in which rows hold them.
    pub inputs: Vec<String>,
    /// Name of the target.
    pub target: String,
    /// Position of each input among the file's columns, from 0.
    pub input_positions: Vec<usize>,
    /// Position of the target among the file's columns, from 0.
    pub target_position: usize,
}

/// A source of rows. After an error it yields no more rows.
pub trait RowReader: Send {
    /// The columns it yields.
    fn columns(&self) -> &Columns;

    /// Appends at most `limit` further rows: their inputs, row-major, to `inputs`, and their targets to `targets`.
    /// Returns the number of rows, which is 0 at the end. All values are finite, but for targets that may be missing
    /// ([`Targets::Optional`]). After an error, part of a row may have
    /// been appended.
    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError>;
}

/// A reader of one of the text formats.
trait TextReader: Send {
    /// The columns it yields.
    fn columns(&self) -> &Columns;

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
struct Text {
    file: String,
    compression: Compression,
    /// The beginning, which `bytes` yields again.
    head: Vec<u8>,
    bytes: Box<dyn BufRead + Send>,
}

impl Text {
    fn open(source: &Source) -> Result<Self, DataError> {
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
    match compression {
        Compression::None => DataError::Io { file: file.to_owned(), doing: "read it", source },
        _ => DataError::Compressed { file: file.to_owned(), compression, detail: source.to_string() },
    }
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
