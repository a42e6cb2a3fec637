//! The declaration of a dataset: a TOML file with its description, its origin, and the shape and hash that verify it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::{fs, io};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::embedded::{self, Embedded};
use crate::encode::choices::{ColumnEncoding, Labels};
use crate::error::DataError;
use crate::files::io_error;
use crate::format::open::open;
use crate::format::{DataSource, FileFormat, MOST_INPUTS, ReadOptions, ReaderColumns, RowReader};
use crate::listing::{RULE, is_name};
use crate::prepare::{InputScale, Preparation};
pub use crate::remote_file::RemoteFile;
use crate::remote_file::{check_files, check_hash};
use crate::table::{ContentHash, DataTable, read, scan};

/// The module that reads raw files, for the identity of the code behind data without a pinned hash.
pub const MODULE: &str = module_path!();

/// The most rows of a dataset, so that no size computed from them overflows.
const MOST_ROWS: u64 = 1 << 40;

/// The kind of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// The target is a quantity.
    Regression,
    /// The target is one of two classes. Learners see words as -1 and +1, and numbers as they are: `target = "sign"` in a
    /// stream makes -1 and +1 of 0 and 1, without which there are no error rates.
    Classification,
    /// The target is one of the declared classes.
    Classes,
}

/// A declared dataset, as in `pipeline/datasets/NAME.toml` or `data/added/NAME.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Declaration", into = "Declaration")]
pub struct Dataset {
    /// Its name, which is that of its file, in lower-case letters, digits and `-`.
    pub name: String,
    /// A description in one line.
    pub title: String,
    /// The work to cite.
    pub citation: String,
    /// The terms of use, as far as its source states them.
    pub licence: String,
    /// The kind of target.
    pub task: Task,
    /// Number of rows.
    pub rows: u64,
    /// Number of inputs.
    pub inputs: u64,
    /// The target column, as in [`ReadOptions::target`]; None for LIBSVM text.
    pub target: Option<String>,
    /// What its cells hold for the classes 0, 1, ..., where the task is [`Task::Classes`]; otherwise nothing.
    pub classes: Vec<String>,
    /// The input columns, as in [`ReadOptions::inputs`].
    pub input_columns: Option<Vec<String>>,
    /// Its format.
    pub format: FileFormat,
    /// Whether CSV files begin with a header line.
    pub header: bool,
    /// The character between the fields of CSV files. If None, the first line shows it.
    pub delimiter: Option<char>,
    /// How columns become numbers.
    pub encoding: ColumnEncoding,
    /// The content hash ([`ContentHash`]) of all rows, encoded. If None, the first fetch records it.
    pub content_sha256: Option<String>,
    /// The number of rows that experiments use by default; None means all.
    pub first_rows: Option<u64>,
    /// How many numbers in its inputs are not zero, where most are: from it, memory is estimated.
    pub nonzeros: Option<u64>,
    /// Where it comes from.
    pub origin: DatasetOrigin,
}

/// Where a dataset comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetOrigin {
    /// Files to download. They are concatenated in this order.
    Files(Vec<RemoteFile>),
    /// A file of the user's own. It is read where it is.
    Path(PathBuf),
    /// Compiled into this program.
    Embedded(Embedded),
}

/// A dataset: where it comes from, and the shape and content by which it is verified.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// Its name, which is that of its file.
    name: String,
    /// A description in one line.
    title: String,
    /// The work to cite, or `none`.
    citation: String,
    /// The terms of use, as far as its source states them.
    licence: String,
    /// The kind of target.
    task: Task,
    /// Number of rows.
    rows: u64,
    /// Number of inputs.
    inputs: u64,
    /// The target column: its name, or its number from 1 where there is no header. LIBSVM text has its labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// What the target's cells hold for each class, where `task` is `classes`: learners see the numbers 0, 1, ... in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    /// The input columns; by default all but the target, in file order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_columns: Option<Vec<String>>,
    /// The format of its files, apart from their compression.
    #[serde(default = "csv")]
    format: FileFormat,
    /// Whether CSV files begin with a header line.
    #[serde(default = "yes")]
    header: bool,
    /// What separates the fields of CSV files, if it is not the comma or what the file suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delimiter: Option<char>,
    /// The hash of the content of all rows, which `noregret data verify` prints. Without it, the first fetch records
    /// what it finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_sha256: Option<String>,
    /// How many rows experiments use where they say nothing; by default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_rows: Option<u64>,
    /// How many numbers in its inputs are not zero, where most are: from it, memory is estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nonzeros: Option<u64>,
    /// It is compiled into the program. Exactly one of `embedded`, `path` and `files` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    embedded: Option<Embedded>,
    /// A file of the user's own, relative to the project; it is read where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    /// How columns of words, dates and missing values become numbers; recorded when a file is registered.
    #[serde(default, skip_serializing_if = "is_plain")]
    encoding: ColumnEncoding,
    /// Files to download, which are concatenated in this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files: Option<Vec<RemoteFile>>,
}

fn is_plain(encoding: &ColumnEncoding) -> bool {
    *encoding == ColumnEncoding::default()
}

fn csv() -> FileFormat {
    FileFormat::Csv
}

fn yes() -> bool {
    true
}

impl TryFrom<Declaration> for Dataset {
    type Error = String;

    fn try_from(raw: Declaration) -> Result<Self, String> {
        if !is_name(&raw.name) {
            return Err(format!("`name` = `{}`: use {RULE}", raw.name));
        }
        let origin = match (raw.files, raw.path, raw.embedded) {
            (Some(files), None, None) => DatasetOrigin::Files(files),
            (None, Some(path), None) => DatasetOrigin::Path(path),
            (None, None, Some(embedded)) => DatasetOrigin::Embedded(embedded),
            _ => return Err("exactly one of `files`, `path` and `embedded` must be given".into()),
        };
        if raw.rows == 0 || raw.inputs == 0 {
            return Err("`rows` and `inputs` must be at least 1".into());
        }
        if raw.rows > MOST_ROWS {
            return Err(format!("`rows` must be at most {MOST_ROWS}"));
        }
        if raw.inputs > MOST_INPUTS as u64 {
            return Err(format!("`inputs` must be at most {MOST_INPUTS}"));
        }
        if raw.first_rows.is_some_and(|first| first == 0 || first > raw.rows) {
            return Err(format!("`first_rows` must be from 1 to {} (`rows`)", raw.rows));
        }
        if raw.target.is_none() && raw.format != FileFormat::Libsvm {
            return Err("`target` must name the target column".into());
        }
        check_classes(raw.task, &raw.classes)?;
        if let Some(hash) = &raw.content_sha256 {
            check_hash(hash)?;
        }
        if raw.delimiter.is_some_and(|delimiter| !delimiter.is_ascii() || delimiter == '"' || delimiter == '\n') {
            return Err("`delimiter` must be one ASCII character, such as `;`".into());
        }
        raw.encoding.fits_dataset(matches!(&origin, DatasetOrigin::Files(files) if files.len() > 1))?;
        if let DatasetOrigin::Files(files) = &origin {
            check_files(files, raw.rows, raw.content_sha256.is_some())?;
        }
        Ok(Self {
            name: raw.name,
            title: raw.title,
            citation: raw.citation,
            licence: raw.licence,
            task: raw.task,
            rows: raw.rows,
            inputs: raw.inputs,
            target: raw.target,
            classes: raw.classes,
            input_columns: raw.input_columns,
            format: raw.format,
            header: raw.header,
            delimiter: raw.delimiter,
            encoding: raw.encoding,
            content_sha256: raw.content_sha256,
            first_rows: raw.first_rows,
            nonzeros: raw.nonzeros,
            origin,
        })
    }
}

impl From<Dataset> for Declaration {
    fn from(dataset: Dataset) -> Self {
        let (files, path, embedded) = match dataset.origin {
            DatasetOrigin::Files(files) => (Some(files), None, None),
            DatasetOrigin::Path(path) => (None, Some(path), None),
            DatasetOrigin::Embedded(embedded) => (None, None, Some(embedded)),
        };
        Self {
            name: dataset.name,
            title: dataset.title,
            citation: dataset.citation,
            licence: dataset.licence,
            task: dataset.task,
            rows: dataset.rows,
            inputs: dataset.inputs,
            target: dataset.target,
            classes: dataset.classes,
            input_columns: dataset.input_columns,
            format: dataset.format,
            header: dataset.header,
            delimiter: dataset.delimiter,
            encoding: dataset.encoding,
            content_sha256: dataset.content_sha256,
            first_rows: dataset.first_rows,
            nonzeros: dataset.nonzeros,
            embedded,
            path,
            files,
        }
    }
}

/// Several classes are declared where the task is these, and only there.
fn check_classes(task: Task, classes: &[String]) -> Result<(), String> {
    match (task, classes.len()) {
        (Task::Classes, 0 | 1) => Err("`classes` must hold at least two, because `task` is `classes`".into()),
        (Task::Classes, _) => Labels::declared(classes).map(|_| ()).map_err(|why| format!("`classes` {why}")),
        (Task::Regression | Task::Classification, 0) => Ok(()),
        _ => Err("`classes` belong to `task` = `classes`".into()),
    }
}

impl Dataset {
    /// About how many bytes `rows` of its rows take in memory when they are prepared, inputs and target.
    pub fn bytes(&self, rows: u64, preparation: &Preparation) -> f64 {
        let dense = 8.0 * rows as f64 * (self.inputs as f64 + 2.0);
        // -1 to 1 leaves hardly any zeros.
        let sparse = |entries: u64| 12.0 * entries as f64 * rows as f64 / self.rows as f64 + 24.0 * rows as f64;
        let entries =
            self.nonzeros.filter(|_| !matches!(preparation.scale, InputScale::Symmetric | InputScale::Running));
        entries.map_or(dense, |entries| dense.min(sparse(entries)))
    }

    /// How its files are read.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: Some(self.format),
            header: self.header,
            target: self.target.clone(),
            inputs: self.input_columns.clone(),
            // If inputs are selected, `inputs` is not the width of the file.
            width: usize::try_from(self.inputs).ok().filter(|_| self.input_columns.is_none()),
            delimiter: self.delimiter.map(|delimiter| delimiter as u8),
            letters: !self.header && !is_plain(&self.encoding),
            encoding: ColumnEncoding { labels: self.labels(), ..self.encoding.clone() },
            ..ReadOptions::default()
        }
    }

    /// Which targets are classes.
    fn labels(&self) -> Labels {
        match self.task {
            Task::Classes => Labels::Always(self.classes.clone()),
            Task::Regression | Task::Classification => Labels::Two,
        }
    }

    /// Whether each of its files has an address.
    pub fn is_downloadable(&self) -> bool {
        matches!(&self.origin, DatasetOrigin::Files(files) if files.iter().all(|file| !file.addresses.is_empty()))
    }

    /// The names that its files have in mirrors, in words.
    pub fn names_in_mirrors(&self) -> String {
        let DatasetOrigin::Files(files) = &self.origin else { return String::new() };
        files.iter().map(RemoteFile::name_in_mirrors).collect::<Vec<_>>().join(" and ")
    }

    /// Its files. `raw_dir` is its folder under data/raw. Embedded datasets have no files.
    pub fn paths(&self, raw_dir: &Path) -> Vec<PathBuf> {
        match &self.origin {
            DatasetOrigin::Files(files) => files.iter().map(|file| raw_dir.join(&file.name)).collect(),
            DatasetOrigin::Path(path) => vec![path.clone()],
            DatasetOrigin::Embedded(_) => Vec::new(),
        }
    }

    /// Opens it for reading from the first row, with its files concatenated. `raw_dir` is its folder under data/raw.
    pub fn open(&self, raw_dir: &Path) -> Result<Box<dyn RowReader>, DataError> {
        if let DatasetOrigin::Embedded(which) = &self.origin {
            return self.check_width(&self.name, embedded::open(*which)?);
        }
        let mut rest = self.paths(raw_dir).into_iter();
        let first = match rest.next() {
            Some(path) => self.open_file(&path)?,
            None => return Err(DataError::Declaration { file: self.name.clone(), detail: "it has no files".into() }),
        };
        let dataset = self.clone();
        let (columns, rest) = (first.columns().clone(), rest.collect());
        Ok(Box::new(Concatenated { dataset, columns, current: first, rest, done: false }))
    }

    /// Opens one of its files.
    pub(super) fn open_file(&self, path: &Path) -> Result<Box<dyn RowReader>, DataError> {
        let reader = open(&DataSource::Path(path.to_owned()), &self.options())?;
        self.check_width(&path.display().to_string(), reader)
    }

    /// Opens a file of the user's own, provided that its bytes have this SHA-256. They are held in memory, so that what
    /// was hashed is what is read.
    fn open_bytes(&self, path: &Path, sha256: &str) -> Result<Box<dyn RowReader>, DataError> {
        let file = path.display().to_string();
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(DataError::NoFile { file }),
            other => other.map_err(io_error(path, "read it"))?,
        };
        if hex::encode(Sha256::digest(&bytes)) != sha256 {
            return Err(DataError::Changed { file });
        }
        let source = DataSource::Bytes { name: file.clone(), bytes: bytes.into() };
        self.check_width(&file, open(&source, &self.options())?)
    }

    fn check_width(&self, file: &str, reader: Box<dyn RowReader>) -> Result<Box<dyn RowReader>, DataError> {
        let actual = reader.columns().inputs.len() as u64;
        if actual != self.inputs {
            let file = file.to_owned();
            return Err(DataError::Shape { file, what: "number of inputs", expected: self.inputs, actual });
        }
        Ok(reader)
    }

    /// Reads its first `rows` rows, or all, and checks the number of rows. Where it has a content hash, that is checked
    /// too: it is the hash of all rows, so that the others are read as well.
    pub fn load(&self, raw_dir: &Path, rows: Option<u64>) -> Result<DataTable, DataError> {
        self.load_known(raw_dir, rows, &KnownHash::Nothing)
    }

    /// The same, and what is known besides the declaration is checked as well.
    pub fn load_known(&self, raw_dir: &Path, rows: Option<u64>, known: &KnownHash) -> Result<DataTable, DataError> {
        let mut reader = match (known, &self.origin) {
            (KnownHash::Bytes(sha256), DatasetOrigin::Path(path)) => self.open_bytes(path, sha256)?,
            _ => self.open(raw_dir)?,
        };
        let pinned = self.content_sha256.as_deref();
        let content = pinned.or(if let KnownHash::Content(content) = known { Some(content) } else { None });
        let mut hash = ContentHash::new(self.rows, reader.columns());
        let wanted = rows.map_or(self.rows, |rows| rows.min(self.rows));
        let table = read(reader.as_mut(), Some(wanted), |inputs, targets| hash.update(inputs, targets))?;
        let (mut expected, mut actual) = (wanted, table.rows() as u64);
        if wanted == self.rows || content.is_some() {
            expected = self.rows;
            actual += scan(reader.as_mut(), |inputs, targets| hash.update(inputs, targets))?;
        }
        let file = self.name.clone();
        if actual != expected {
            return Err(DataError::Shape { file, what: "number of rows", expected, actual });
        }
        let actual = hash.finish();
        if let Some(expected) = content.filter(|expected| *expected != actual) {
            return Err(DataError::Content { file, expected: expected.to_owned(), actual });
        }
        Ok(table)
    }
}

/// What is known of a dataset besides its declaration, when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownHash {
    /// Nothing.
    Nothing,
    /// The SHA-256 of a file of the user's own.
    Bytes(String),
    /// The content hash that the first fetch recorded.
    Content(String),
}

/// The files of a dataset, one after the other.
struct Concatenated {
    dataset: Dataset,
    columns: ReaderColumns,
    current: Box<dyn RowReader>,
    rest: VecDeque<PathBuf>,
    done: bool,
}

impl RowReader for Concatenated {
    fn columns(&self) -> &ReaderColumns {
        &self.columns
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        while !self.done {
            // An error ends the whole dataset, not only its file.
            self.done = true;
            let rows = self.current.next_block(limit, inputs, targets)?;
            if rows == 0 && limit > 0 {
                let Some(path) = self.rest.pop_front() else { break };
                self.current = self.dataset.open_file(&path)?;
                self.done = false;
                continue;
            }
            self.done = false;
            return Ok(rows);
        }
        Ok(0)
    }
}
