//! Registers a file of the user's own under a name that experiments can use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::catalogue::{ADDED, project_root};
use crate::classes::{has_classes, with_classes};
use crate::declaration::{Dataset, DatasetOrigin, Task};
use crate::encode::choices::{ColumnEncoding, Labels};
use crate::encode::plan::EncodingPlan;
use crate::error::DataError;
use crate::files::{io_error, write};
use crate::format::open::{columns, detect, open};
use crate::format::parts::files;
use crate::format::{DataSource, FileFormat, ReadOptions, ReaderColumns, told_of_indices};
use crate::http::refuse_address;
use crate::listing::{is_name, shown};
use crate::own::{Own, keep, told_of_skipped};
use crate::table::{ContentHash, scan};
use noregret_numeric::linalg::compact::NARROW;

/// A file to register.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The file; it stays where it is.
    pub file: PathBuf,
    /// The name of the new dataset.
    pub name: String,
    /// How to read it.
    pub options: ReadOptions,
}

/// A file that was registered.
#[derive(Debug)]
pub struct Registered {
    /// Its declaration.
    pub dataset: Dataset,
    /// What is to be said of its columns and rows.
    pub notes: Vec<String>,
}

/// Reads and checks the file, and registers it in `data_dir`/added. `known` are the existing datasets.
///
/// The task is classification if the target has exactly two values, otherwise regression.
pub fn add(addition: &Addition, known: &BTreeMap<String, Dataset>, data_dir: &Path) -> Result<Registered, DataError> {
    check_name(&addition.name, known, data_dir)?;
    register(addition, data_dir)
}

/// Checks that a new dataset can have this name.
pub(crate) fn check_name(name: &str, known: &BTreeMap<String, Dataset>, data_dir: &Path) -> Result<(), DataError> {
    let refused = |why| Err(DataError::Name { name: name.to_owned(), why });
    if !is_name(name) {
        return refused("is not 1 to 64 lower-case letters, digits and `-`, beginning with a letter or digit");
    }
    if known.contains_key(name) || declaration(name, data_dir).exists() {
        return refused("is taken");
    }
    Ok(())
}

/// Where a dataset of the user's own is declared.
fn declaration(name: &str, data_dir: &Path) -> PathBuf {
    data_dir.join(ADDED).join(format!("{name}.toml"))
}

/// Reads and checks the file, and writes its registration in `data_dir`/added, also over an earlier one of its name.
pub fn register(addition: &Addition, data_dir: &Path) -> Result<Registered, DataError> {
    let Addition { file, options, .. } = addition;
    refuse_address(file)?;
    // The declaration holds the hash of one file.
    if !files(&file.to_string_lossy()).is_ok_and(|several| several.is_empty()) {
        let detail = "a dataset is one file, and not a folder or a pattern; join its files, or name one of them".into();
        return Err(DataError::Declaration { file: file.display().to_string(), detail });
    }
    let source = DataSource::Path(file.clone());
    let format = match options.format {
        Some(format) => format,
        None => detect(&source)?,
    };
    // Words may be more than two classes where the caller says so; two are -1 and +1 nevertheless.
    let (labels, several) = match &options.encoding.labels {
        Labels::Words => (Labels::Two, true),
        known => (known.clone(), false),
    };
    let open = options.encoding.positive.is_none() && labels == Labels::Two;
    let encoding = ColumnEncoding { labels, ..options.encoding.clone() };
    let options = ReadOptions { format: Some(format), encoding, ..options.clone() };
    let (names, kinds) = columns(&source, &options)?;
    let options = match open && has_classes(&options, &names, &kinds) {
        true => with_classes(&source, options, several)?,
        false => options,
    };
    let seen = match survey(&source, &options) {
        Err(DataError::Classes { .. }) if several && open => survey(&source, &with_classes(&source, options, true)?)?,
        seen => seen?,
    };
    let notes = seen.notes.clone();
    let dataset = described(addition, format, seen, data_dir)?;
    declare(&dataset, &file.display().to_string(), data_dir)?;
    let path = std::path::absolute(file).map_err(io_error(file, "find it"))?;
    let dataset = Dataset { origin: DatasetOrigin::Path(project_root(data_dir).join(path)), ..dataset };
    Ok(Registered { dataset, notes })
}

/// Writes the declaration of a dataset that was made from `source`.
pub(crate) fn declare(dataset: &Dataset, source: &str, data_dir: &Path) -> Result<(), DataError> {
    let path = declaration(&dataset.name, data_dir);
    let text = toml::to_string(dataset)
        .map_err(|error| DataError::Declaration { file: path.display().to_string(), detail: error.to_string() })?;
    // A declaration that is refused when it is read would stop every command.
    shown(source, &text)?;
    write(&path, text.as_bytes())
}

/// The declaration of a file that was read to its end, without reading it again. `data_dir` is that of its project.
///
/// # Errors
/// A format that nothing shows, or a path that cannot be found.
pub fn declared(addition: &Addition, own: &Own, data_dir: &Path) -> Result<Dataset, DataError> {
    let Addition { file, options, .. } = addition;
    let format = match options.format {
        Some(format) => format,
        None => detect(&DataSource::Path(file.clone()))?,
    };
    let (columns, table) = (&own.columns, &own.table);
    let rows = table.rows() as u64;
    let (mut hash, mut row, mut nonzeros) = (ContentHash::new(rows, columns), vec![0.0; columns.inputs.len()], 0);
    for (i, target) in table.targets.iter().enumerate() {
        table.inputs.write_row(i, &mut row);
        nonzeros += row.iter().filter(|value| value.to_bits() != 0).count() as u64;
        hash.update(&row, &[*target]);
    }
    let seen = Survey::new(options, columns, own.plan.as_ref(), (rows, nonzeros), hash, own.values.clone());
    described(addition, format, seen, data_dir)
}

/// The declaration of a file that was read.
fn described(addition: &Addition, format: FileFormat, seen: Survey, data_dir: &Path) -> Result<Dataset, DataError> {
    let Addition { file, name, options } = addition;
    let path = std::path::absolute(file).map_err(io_error(file, "find it"))?;
    let origin = DatasetOrigin::Path(portable(&path, data_dir)?);
    let title = format!("{} (registered by the user)", file.display());
    Ok(Dataset { title, ..seen.dataset(name, options, format, origin) })
}

/// What is known of a file that was read to its end.
pub(crate) struct Survey {
    columns: ReaderColumns,
    /// The names of the inputs in the file, where the options choose some.
    chosen: Option<Vec<String>>,
    /// How columns become numbers, with everything that was recognised written down.
    encoding: ColumnEncoding,
    rows: u64,
    content_sha256: String,
    /// How many inputs are not zero, where they are kept without zeros.
    nonzeros: Option<u64>,
    /// The distinct targets, if there are at most two.
    classes: Option<Vec<f64>>,
    /// The words of the classes 0, 1, ..., where targets are such.
    labels: Vec<String>,
    /// What is to be said of columns and rows.
    notes: Vec<String>,
}

impl Survey {
    /// Of rows whose content hash was computed; `classes` are their distinct targets, if there are at most two.
    fn new(
        options: &ReadOptions,
        columns: &ReaderColumns,
        plan: Option<&EncodingPlan>,
        (rows, nonzeros): (u64, u64),
        hash: ContentHash,
        classes: Option<Vec<f64>>,
    ) -> Self {
        let names = || match plan {
            Some(plan) => plan.columns.iter().map(|column| column.name.clone()).collect(),
            None => columns.inputs.clone(),
        };
        let width = columns.inputs.len();
        let few = width > NARROW && nonzeros <= rows.saturating_mul(width as u64) / 4;
        Self {
            columns: columns.clone(),
            chosen: (options.inputs.is_some() || !options.drop.is_empty()).then(names),
            encoding: plan.map_or_else(ColumnEncoding::default, |plan| plan.settled(&options.encoding)),
            rows,
            content_sha256: hash.finish(),
            nonzeros: few.then_some(nonzeros),
            classes,
            labels: if let Labels::Always(words) = &options.encoding.labels { words.clone() } else { Vec::new() },
            notes: Vec::new(),
        }
    }

    /// The dataset that has these rows.
    pub(crate) fn dataset(
        self,
        name: &str,
        options: &ReadOptions,
        format: FileFormat,
        origin: DatasetOrigin,
    ) -> Dataset {
        let two = self.classes.is_some_and(|classes| classes.len() == 2);
        let task = match (&self.labels[..], two) {
            ([], true) => Task::Classification,
            ([], false) => Task::Regression,
            _ => Task::Classes,
        };
        Dataset {
            classes: self.labels,
            name: name.to_owned(),
            title: name.to_owned(),
            citation: "none".into(),
            licence: "the user's own".into(),
            task,
            rows: self.rows,
            inputs: self.columns.inputs.len() as u64,
            target: (format != FileFormat::Libsvm || options.target.is_some()).then_some(self.columns.target),
            input_columns: self.chosen,
            format,
            header: options.header,
            delimiter: options.delimiter.map(char::from),
            encoding: self.encoding,
            content_sha256: Some(self.content_sha256),
            first_rows: None,
            nonzeros: self.nonzeros,
            origin,
        }
    }
}

/// Reads the file twice, because the content hash begins with the number of rows.
pub(crate) fn survey(source: &DataSource, options: &ReadOptions) -> Result<Survey, DataError> {
    let mut classes = Some(Vec::new());
    let mut nonzeros = 0;
    let rows = scan(open(source, options)?.as_mut(), |inputs, targets| {
        nonzeros += inputs.iter().filter(|value| value.to_bits() != 0).count() as u64;
        targets.iter().for_each(|&target| keep(&mut classes, target));
    })?;
    let mut reader = open(source, options)?;
    let columns = reader.columns().clone();
    if rows == 0 {
        let detail = "every row misses a value, so that --missing drop leaves none; choose mean or indicator, or leave the columns \
                      without values out (--drop)";
        return Err(DataError::Declaration { file: source.to_string(), detail: detail.into() });
    }
    let mut hash = ContentHash::new(rows, &columns);
    let again = scan(reader.as_mut(), |inputs, targets| hash.update(inputs, targets))?;
    if again != rows {
        let (file, what) = (source.to_string(), "number of rows, which changed while reading");
        return Err(DataError::Shape { file, what, expected: rows, actual: again });
    }
    let notes = told_of_indices(&columns).into_iter().chain(told_of_skipped(reader.skipped())).collect();
    Ok(Survey { notes, ..Survey::new(options, &columns, reader.plan(), (rows, nonzeros), hash, classes) })
}

/// `path` relative to the project root if it is in the project, so that the project can be moved; otherwise unchanged.
fn portable(path: &Path, data_dir: &Path) -> Result<PathBuf, DataError> {
    let data_dir = std::path::absolute(data_dir).map_err(io_error(data_dir, "find it"))?;
    Ok(path.strip_prefix(project_root(&data_dir)).unwrap_or(path).to_owned())
}
