//! Rows in several files, which are read one after the other: those of a folder, or those that match a pattern, on this machine
//! or in a bucket.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::bucket::{Bucket, is_bucket};
use crate::error::DataError;
use crate::files::io_error;
use crate::format::open::open;
use crate::format::parts_reader::PartsReader;
use crate::format::{DataSource, ReadOptions, RowReader};
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_by_value() {
        let mut names = ["part-10.csv", "part-9.csv", "b", "part-010.csv", "2024/10/1", "2024/9/30", "a9z", "a10"];
        names.sort_by_cached_key(|name| (by_value(name), *name));
        assert_eq!(names, ["2024/9/30", "2024/10/1", "a9z", "a10", "b", "part-9.csv", "part-010.csv", "part-10.csv"]);
    }
}
