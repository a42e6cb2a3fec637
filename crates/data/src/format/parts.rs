//! Rows in several files, which are read one after the other: those of a folder, or those that match a pattern, on this machine
//! or in a bucket.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};

use globset::{GlobBuilder, GlobMatcher};

use crate::bucket::{Bucket, is_bucket};
use crate::encode::choices::ColumnEncoding;
use crate::encode::plan::EncodingPlan;
use crate::error::DataError;
use crate::files::io_error;
use crate::format::open::open;
use crate::format::{DataSource, ReadOptions, ReaderColumns, RowReader};
use noregret_platform::files::is_input_file;

/// What makes a name a pattern.
const PATTERN: [char; 4] = ['*', '?', '[', '{'];

/// Which files belong to an input that is a folder or a pattern.
struct FileSet {
    /// The folder that is searched; an empty path is the current one.
    root: PathBuf,
    matcher: GlobMatcher,
    /// How many levels of folders are searched, the root included.
    levels: usize,
    /// Whether the input is a folder.
    folder: bool,
}

impl FileSet {
    /// The set that `input` stands for; None where it is one file, standard input, or nothing that is there.
    fn of(input: &str) -> Result<Option<Self>, DataError> {
        let path = Path::new(input);
        let is_pattern = |text: &str| text.contains(PATTERN);
        let folder = path.is_dir();
        if !folder && (input == "-" || !is_pattern(input) || fs::symlink_metadata(path).is_ok()) {
            return Ok(None);
        }
        let names: Vec<_> = path.components().collect();
        let fixed = match folder {
            true => names.len(),
            false => names.iter().take_while(|name| !is_pattern(&name.as_os_str().to_string_lossy())).count(),
        };
        let root: PathBuf = names[..fixed].iter().collect();
        let rest: PathBuf = if folder { PathBuf::from("*") } else { names[fixed..].iter().collect() };
        let pattern = Path::new(&globset::escape(&root.to_string_lossy())).join(&rest);
        let glob = GlobBuilder::new(&pattern.to_string_lossy()).literal_separator(true).build();
        let glob = glob.map_err(|error| wrong(input, error.kind().to_string()))?;
        let deep = rest.components().any(|name| name == Component::Normal("**".as_ref()));
        let levels = if deep { usize::MAX } else { rest.components().count() };
        Ok(Some(Self { root, matcher: glob.compile_matcher(), levels, folder }))
    }

    /// Adds the files below a folder.
    fn find(&self, folder: &Path, levels: usize, found: &mut Vec<PathBuf>) -> Result<(), DataError> {
        let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        for entry in fs::read_dir(place).map_err(io_error(place, "list it"))? {
            let entry = entry.map_err(io_error(place, "list it"))?;
            if is_hidden(&entry.file_name()) {
                continue;
            }
            let path = folder.join(entry.file_name());
            if path.is_dir() {
                if self.folder {
                    return Err(holds_folders(&self.root.display().to_string(), &path.display().to_string()));
                }
                // A link may lead back to where it is.
                if levels > 1 && !path.is_symlink() {
                    self.find(&path, levels - 1, found)?;
                }
            } else if self.matcher.is_match(&path) {
                found.push(path);
            }
        }
        Ok(())
    }
}

/// The addresses of the files of a bucket that `input` stands for, `s3://bucket/folder/` or a pattern; None where it is one file.
fn in_bucket(input: &str) -> Result<Option<Vec<PathBuf>>, DataError> {
    let pattern = match (input.find(PATTERN), input.ends_with('/')) {
        (None, false) => return Ok(None),
        (None, true) => format!("{input}*"),
        (Some(_), _) => input.to_owned(),
    };
    let fixed = pattern.find(PATTERN).and_then(|end| pattern[..end].rfind('/')).map_or(0, |slash| slash + 1);
    let (root, rest) = pattern.split_at(fixed);
    let glob = GlobBuilder::new(rest).literal_separator(true).build();
    let matcher = glob.map_err(|error| wrong(input, error.kind().to_string()))?.compile_matcher();
    let bucket = Bucket::open(root).map_err(|error| wrong(input, error.why))?;
    let beginning = &rest[..rest.find(PATTERN).unwrap_or(rest.len())];
    let names = bucket.list(beginning).map_err(|error| wrong(input, error.why))?;
    let seen = |name: &str| !name.is_empty() && !name.split('/').any(|part| is_hidden(part.as_ref()));
    let below =
        |(name, _): &(String, u64)| name.split_once('/').filter(|_| seen(name)).map(|(folder, _)| folder.to_owned());
    if input.ends_with('/')
        && let Some(folder) = names.iter().find_map(below)
    {
        return Err(holds_folders(input.trim_end_matches('/'), &format!("{root}{folder}")));
    }
    let found = names.into_iter().filter(|(name, _)| seen(name) && matcher.is_match(name));
    Ok(Some(found.map(|(name, _)| PathBuf::from(format!("{root}{name}"))).collect()))
}

/// The error of a folder, `root`, that holds another one.
fn holds_folders(root: &str, folder: &str) -> DataError {
    let why = "which may hold rows, too; name the files by a pattern, such as";
    wrong(root, format!("{folder} is a folder, {why} '{root}/**/*.parquet'"))
}

fn wrong(input: &str, detail: String) -> DataError {
    DataError::Declaration { file: input.to_owned(), detail }
}

/// Whether other programs leave marks and logs under such names.
fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name.as_encoded_bytes().starts_with(b"_")
}

/// The files that `input` stands for, by name, numbers in names by value; none where it is one file or standard input. Files and
/// folders whose names begin with `.` or `_` do not count.
///
/// # Errors
/// A folder or a pattern without files, a folder that holds folders, a pattern that is none.
pub fn files(input: &str) -> Result<Vec<PathBuf>, DataError> {
    let (mut found, folder) = if is_bucket(input) {
        let Some(found) = in_bucket(input)? else { return Ok(Vec::new()) };
        (found, input.ends_with('/'))
    } else {
        let Some(set) = FileSet::of(input)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        set.find(&set.root, set.levels, &mut found)?;
        (found, set.folder)
    };
    if found.is_empty() {
        let what = if folder { "the folder holds no file" } else { "no file matches the pattern" };
        return Err(wrong(input, what.to_owned()));
    }
    found.sort_by_cached_key(|path| (by_value(&path.to_string_lossy()), path.clone()));
    Ok(found)
}

/// A name whose order among others is that of its numbers: `part-9` is before `part-10`.
fn by_value(name: &str) -> String {
    let mut key = String::new();
    let mut rest = name;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (text, number) = rest.split_at(start);
        let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
        key += &format!("{text}{:0>32}", &number[..end]);
        rest = &number[end..];
    }
    key + rest
}

/// Whether a file of this path is the input, or is or would be one of its files. `-` is standard input.
pub fn is_input(input: &str, path: &Path) -> bool {
    if input == "-" {
        return is_input_file(path);
    }
    let path = placed(path);
    match FileSet::of(input) {
        Ok(Some(set)) => {
            let root = placed(&set.root);
            path.strip_prefix(&root)
                .is_ok_and(|below| !below.iter().any(is_hidden) && set.matcher.is_match(set.root.join(below)))
        }
        _ => placed(Path::new(input)) == path,
    }
}

/// Where a file is or will be: without links and dots in the names of its folders.
pub fn placed(path: &Path) -> PathBuf {
    let whole = |path: &Path| fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let folder = || Some(whole(path.parent()?).ok()?.join(path.file_name()?));
    whole(path).ok().or_else(folder).unwrap_or_else(|| path.to_owned())
}

/// What is to be said of files, where there are several.
pub fn told(parts: &[PathBuf]) -> Option<String> {
    let (first, last) = (parts.first()?.display(), parts.last()?.display());
    Some(format!("{} files, in the order of their names: {first} to {last}", parts.len()))
}

/// What is to be said of files without rows, which were passed over.
pub fn told_of_empty(files: &[String]) -> Option<String> {
    const NAMED: usize = 5;
    let shown = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match files.len() {
        0 => None,
        1 => Some(format!("{shown} holds no rows, and is passed over")),
        count if count <= NAMED => Some(format!("{count} files hold no rows, and are passed over: {shown}")),
        count => Some(format!("{count} files hold no rows, and are passed over: {shown}, ...")),
    }
}

/// Opens a source, or, where there are `parts`, these one after the other, as if they were one file.
///
/// # Errors
/// What is wrong with the first file.
pub fn open_all(
    source: &DataSource,
    parts: &[PathBuf],
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, DataError> {
    match parts {
        [] => open(source, options),
        [first, rest @ ..] => Ok(Box::new(PartsReader::open(first, rest, options)?)),
    }
}

/// Reads files one after the other. What encoders have learned of a file goes on in the next one.
struct PartsReader {
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
    fn open(first: &Path, mut rest: &[PathBuf], options: &ReadOptions) -> Result<Self, DataError> {
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
        let mut new = Self {
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
    use super::*;

    #[test]
    fn numbers_in_names_count_by_value() {
        let mut names = ["part-10.csv", "part-9.csv", "b", "part-010.csv", "2024/10/1", "2024/9/30", "a9z", "a10"];
        names.sort_by_cached_key(|name| (by_value(name), *name));
        assert_eq!(names, ["2024/9/30", "2024/10/1", "a9z", "a10", "b", "part-9.csv", "part-010.csv", "part-10.csv"]);
    }

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
            let (header, one, two) = (
                "a,b,y
",
                "a,b,y
1,2,3
2,3,4
",
                "a,b,y
9,9,9
",
            );
            let all = vec![3.0, 4.0, 9.0];
            assert_eq!(read(&[one, two]).unwrap(), (all.clone(), 0));
            for empty in [
                header, "", "
",
            ] {
                assert_eq!(read(&[one, empty, two]).unwrap(), (all.clone(), 1));
                assert_eq!(read(&[empty, one, two]).unwrap(), (all.clone(), 1));
                assert_eq!(read(&[empty, header, "", one, header, empty, two, "", empty]).unwrap(), (all.clone(), 7));
                for none in [&[empty, header, ""][..], &[empty], &[header, ""]] {
                    assert!(matches!(read(none), Err(DataError::Empty { .. })), "{none:?}");
                }
            }
            assert!(matches!(
                read(&[
                    one, "a,y
", two
                ]),
                Err(DataError::NoColumn { .. })
            ));
            assert!(matches!(
                read(&[
                    one, "a,b,c,y
", two
                ]),
                Err(DataError::NewColumn { .. })
            ));
            assert!(
                read(&[
                    "a,y
", one, two
                ])
                .is_err()
            );
            assert!(
                read(&[
                    "a,b,c,y
", one, two
                ])
                .is_err()
            );
        }
    }
}
