//! Reads several files as if they were one.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};

use crate::encode::choices::ColumnEncoding;
use crate::encode::plan::EncodingPlan;
use crate::error::DataError;
use crate::format::open::open;
use crate::format::{DataSource, ReadOptions, ReaderColumns, RowReader};

/// Reads files one after the other. What encoders have learned of a file goes on in the next one.
pub(super) struct PartsReader {
    rest: VecDeque<PathBuf>,
    options: ReadOptions,
    source: DataSource,
    reader: Box<dyn RowReader>,
    /// The next file, where it is being opened.
    next: Option<OpeningFile>,
    /// The first file and its columns, where others may have no more.
    known: Option<(String, HashSet<String>)>,
    /// Rows that were left out of earlier files.
    skipped: u64,
    /// Whether the file that was opened last could be.
    opens: bool,
    /// Files without rows, which are passed over; and why the first of them is, while no file has rows.
    empty: Vec<String>,
    without_rows: Option<DataError>,
    /// Whether a file has been read that is not empty.
    has_rows: bool,
    /// The marks and further targets of the last block, which may have rows of several files.
    marks: Vec<String>,
    further: Vec<f64>,
}

/// A file that a thread opens, while another one is read.
struct OpeningFile {
    source: DataSource,
    options: ReadOptions,
    reader: JoinHandle<Result<Box<dyn RowReader>, DataError>>,
}

impl PartsReader {
    /// Opens the first of the files that is not empty.
    pub(super) fn open(first: &Path, mut rest: &[PathBuf], options: &ReadOptions) -> Result<Self, DataError> {
        let mut source = DataSource::part(first);
        let (mut passed, mut without_rows) = (Vec::new(), None);
        let reader = loop {
            let error = match open(&source, options) {
                Err(error @ DataError::Empty { .. }) => error,
                other => break other?,
            };
            let Some((next, more)) = rest.split_first() else { return Err(without_rows.unwrap_or(error)) };
            without_rows.get_or_insert(error);
            passed.push(std::mem::replace(&mut source, DataSource::part(next)));
            rest = more;
        };
        let names = &reader.columns().names;
        let all = (options.inputs.is_none() || options.exact) && !names.is_empty();
        let known = all.then(|| (source.to_string(), names.iter().cloned().collect()));
        let new = Self {
            rest: rest.iter().cloned().collect(),
            options: options.clone(),
            source,
            reader,
            next: None,
            known,
            skipped: 0,
            opens: true,
            empty: passed.iter().map(DataSource::to_string).collect(),
            without_rows,
            has_rows: false,
            marks: Vec::new(),
            further: Vec::new(),
        };
        // Its header, if it has one, is that of the others all the same.
        let options = new.next_options();
        for source in passed {
            match open(&source, &options) {
                Err(DataError::Empty { .. }) => {}
                reader => new.same_columns(&source, reader?.columns())?,
            }
        }
        Ok(new)
    }

    /// Refuses columns that the first file does not have, unless inputs are named.
    fn same_columns(&self, source: &DataSource, columns: &ReaderColumns) -> Result<(), DataError> {
        let Some((first, names)) = &self.known else { return Ok(()) };
        match columns.names.iter().find(|name| !names.contains(*name)) {
            None => Ok(()),
            Some(new) => {
                let (file, column, first) = (source.to_string(), new.clone(), first.clone());
                Err(DataError::NewColumn { file, column, first })
            }
        }
    }

    /// Takes note of a file that is empty.
    fn pass(&mut self, why: DataError) {
        self.empty.push(self.source.to_string());
        self.without_rows.get_or_insert(why);
    }

    /// How the next file is read: with the columns of this one.
    fn next_options(&self) -> ReadOptions {
        let (mut options, columns) = (self.options.clone(), self.reader.columns());
        match self.reader.plan() {
            // How numbers are written is that of the first file, or as the user says: JSON has its own way.
            Some(plan) => {
                let before = options.plan.as_ref().map(|plan| plan.decimal);
                let decimal = options.encoding.decimal.or(before).unwrap_or(plan.decimal);
                options.plan = Some(Box::new(plan.clone().written_with(decimal)));
            }
            // Plain numbers, and they stay what they are.
            None => {
                let unlabelled = options.encoding.unlabelled;
                options.encoding = ColumnEncoding { unlabelled, ..ColumnEncoding::default() };
                options.width = Some(columns.inputs.len());
                options.inputs = Some(columns.inputs.clone());
                options.target = Some(columns.target.clone());
                options.drop.clear();
            }
        }
        options
    }

    /// Begins to open the next file, where a server takes its time for that.
    fn open_ahead(&mut self) {
        let is_in_columns = matches!(&self.source, DataSource::Remote(file) if file.in_columns.load(Relaxed));
        if !is_in_columns || self.next.is_some() {
            return;
        }
        let Some(file) = self.rest.front() else { return };
        let (source, options) = (DataSource::next_part(file), self.next_options());
        let opens = {
            let (source, options) = (source.clone(), options.clone());
            move || open(&source, &options)
        };
        let reader = thread::Builder::new().name("next file".into()).spawn(opens).ok();
        self.next = reader.map(|reader| OpeningFile { source, options, reader });
    }

    /// Goes on with the next file that is not empty; returns false if there is none.
    fn turn(&mut self) -> Result<bool, DataError> {
        while let Some(file) = self.rest.pop_front() {
            self.opens = false;
            let turned = self.turn_to(&file)?;
            self.opens = true;
            if turned {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens a file that is to be read next; returns false if it is empty.
    fn turn_to(&mut self, file: &Path) -> Result<bool, DataError> {
        self.options = self.next_options();
        let ahead = self.next.take();
        self.source = ahead.as_ref().map_or_else(|| DataSource::next_part(file), |next| next.source.clone());
        // If encoders have learned since, it is opened again with what they know; if it failed, again to tell why.
        let ahead = ahead.filter(|next| next.options == self.options).and_then(|next| next.reader.join().ok()?.ok());
        match ahead.map_or_else(|| open(&self.source, &self.options), Ok) {
            Err(error @ DataError::Empty { .. }) => {
                self.pass(error);
                Ok(false)
            }
            reader => {
                let reader = reader?;
                self.skipped += self.reader.skipped();
                self.reader = reader;
                self.same_columns(&self.source, self.reader.columns())?;
                Ok(true)
            }
        }
    }
}

impl RowReader for PartsReader {
    fn columns(&self) -> &ReaderColumns {
        self.reader.columns()
    }

    /// A block goes on in the next file, so that blocks, and with them the last digits, are those of one file.
    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        self.marks.clear();
        self.further.clear();
        self.open_ahead();
        let mut rows = 0;
        loop {
            let read = self.reader.next_block(limit - rows, inputs, targets);
            self.marks.extend_from_slice(self.reader.marks());
            self.further.extend_from_slice(self.reader.further_targets());
            let more = match read {
                Err(error @ DataError::Empty { .. }) => {
                    self.pass(error);
                    0
                }
                read => {
                    let more = read?;
                    self.has_rows |= limit > 0;
                    more
                }
            };
            rows += more;
            if rows == limit || (more == 0 && !self.turn()?) {
                let why = self.without_rows.take_if(|_| !self.has_rows && limit > 0);
                return why.map_or(Ok(rows), Err);
            }
        }
    }

    fn plan(&self) -> Option<&EncodingPlan> {
        self.reader.plan()
    }

    fn marks(&self) -> &[String] {
        &self.marks
    }

    fn further_targets(&self) -> &[f64] {
        &self.further
    }

    fn pass_over(&mut self) -> bool {
        // A file that cannot be opened is more than a row.
        self.opens && self.reader.pass_over()
    }

    fn skipped(&self) -> u64 {
        self.skipped + self.reader.skipped()
    }

    fn empty_files(&self) -> &[String] {
        &self.empty
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::format::parts::{files, open_all};

    /// The targets in files with these contents, and how many of the files are passed over.
    fn read(contents: &[&str], encoding: ColumnEncoding) -> Result<(Vec<f64>, usize), DataError> {
        let folder = tempfile::tempdir().unwrap();
        for (i, content) in contents.iter().enumerate() {
            fs::write(folder.path().join(format!("{i}.csv")), content).unwrap();
        }
        let options = ReadOptions { target: Some("y".into()), encoding, ..ReadOptions::default() };
        let files = files(&folder.path().to_string_lossy())?;
        let mut reader = open_all(&DataSource::part(folder.path()), &files, &options)?;
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        while reader.next_block(3, &mut inputs, &mut targets)? > 0 {}
        assert_eq!(inputs.len(), targets.len() * reader.columns().inputs.len());
        Ok((targets, reader.empty_files().len()))
    }

    #[test]
    fn files_without_rows_are_passed_over() {
        let causal = ColumnEncoding { first_cell: true, ..ColumnEncoding::recognising() };
        for encoding in [ColumnEncoding::default(), ColumnEncoding::recognising(), causal] {
            let read = |contents: &[&str]| read(contents, encoding.clone());
            let (header, one, two) = ("a,b,y\n", "a,b,y\n1,2,3\n2,3,4\n", "a,b,y\n9,9,9\n");
            let all = vec![3.0, 4.0, 9.0];
            assert_eq!(read(&[one, two]).unwrap(), (all.clone(), 0));
            for empty in [header, "", "\n"] {
                assert_eq!(read(&[one, empty, two]).unwrap(), (all.clone(), 1));
                assert_eq!(read(&[empty, one, two]).unwrap(), (all.clone(), 1));
                assert_eq!(read(&[empty, header, "", one, header, empty, two, "", empty]).unwrap(), (all.clone(), 7));
                for none in [&[empty, header, ""][..], &[empty], &[header, ""]] {
                    assert!(matches!(read(none), Err(DataError::Empty { .. })), "{none:?}");
                }
            }
            assert!(matches!(read(&[one, "a,y\n", two]), Err(DataError::NoColumn { .. })));
            assert!(matches!(read(&[one, "a,b,c,y\n", two]), Err(DataError::NewColumn { .. })));
            assert!(read(&["a,y\n", one, two]).is_err());
            assert!(read(&["a,b,c,y\n", one, two]).is_err());
        }
    }
}
