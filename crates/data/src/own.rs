//! A file of the user's own as a table in memory, with as few questions as possible.

use std::path::{Path, PathBuf};

use crate::encode::choices::{ColumnEncoding, MissingValues, UnlabelledRows};
use crate::encode::column::MISSING;
use crate::encode::number::is_missing;
use crate::encode::plan::EncodingPlan;
use crate::error::{DataError, Gap};
use crate::format::parts::{files, open_all, told, told_of_empty};
use crate::format::{DataSource, ReadOptions, ReaderColumns, RowReader, told_of_indices};
use crate::http::refuse_address;
use crate::table::{DataTable, read, scan};

/// A file as a table.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its rows, in file order and encoded: each row from itself and from earlier ones.
    pub table: DataTable,
    /// The options that read these rows again, with everything that was found out written down. `noregret stream` takes
    /// them as `cli::file_args::arguments` says.
    pub options: ReadOptions,
    /// The encoders after the last row; None if all columns hold plain numbers.
    pub plan: Option<EncodingPlan>,
    /// Which inputs hold quantities, whose scale is arbitrary, rather than categories, circles and indicators.
    pub quantities: Vec<bool>,
    /// The distinct targets, ascending, where there are at most two.
    pub values: Option<Vec<f64>>,
    /// The words of the classes -1 and +1, where targets are words.
    pub classes: Option<(String, String)>,
    /// Rows that were left out: without a target, or, where the options say so, with missing inputs.
    pub skipped: u64,
    /// What was found out, for the user: a line for each column that is not plain numbers, and more.
    pub notes: Vec<String>,
    /// The columns, with their places in the file.
    pub columns: ReaderColumns,
    /// Whether reading was stopped before the end of the file.
    pub cut: bool,
    /// The files, where they are those of a folder or of a pattern.
    pub parts: Vec<PathBuf>,
}

/// Whether to stop reading, asked with the rows and numbers so far and with which of the passes over the file it is: 0 of
/// one that looks for missing values, 1 of one that keeps the rows.
pub(crate) type StopRule<'a> = dyn Fn(u64, usize, u8) -> bool + Sync + 'a;

/// A reader that ends early.
struct Until<'a> {
    reader: Box<dyn RowReader>,
    stop: &'a StopRule<'a>,
    pass: u8,
    rows: u64,
    cut: bool,
}

impl RowReader for Until<'_> {
    fn columns(&self) -> &ReaderColumns {
        self.reader.columns()
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        let width = self.columns().inputs.len() + 1;
        self.cut = self.rows > 0 && (self.stop)(self.rows, width * self.rows as usize, self.pass);
        if self.cut {
            return Ok(0);
        }
        let count = self.reader.next_block(limit, inputs, targets)?;
        self.rows += count as u64;
        Ok(count)
    }

    fn plan(&self) -> Option<&EncodingPlan> {
        self.reader.plan()
    }

    fn skipped(&self) -> u64 {
        self.reader.skipped()
    }

    fn empty_files(&self) -> &[String] {
        self.reader.empty_files()
    }
}

/// Opens the rows once more.
type Opener<'a> = dyn Fn(&ReadOptions) -> Result<Box<dyn RowReader>, DataError> + 'a;

/// Reads a file of any format, or the files of a folder or of a pattern as one, into a table, as far as `stop` lets it. Kinds
/// of columns are recognised. Unless the options choose what happens to missing values, each column with some is filled by its
/// running mean and gets an indicator (see [`MissingValues::Indicator`]). Rows without a target are left out.
///
/// # Errors
/// What is wrong with the file, with the place and the remedy.
pub fn table_of(path: &Path, options: &ReadOptions, stop: &StopRule<'_>) -> Result<Own, DataError> {
    refuse_address(path)?;
    let (source, parts) = (DataSource::Path(path.to_owned()), files(&path.to_string_lossy())?);
    let opened = |options: &ReadOptions| open_all(&source, &parts, options);
    let own = settled(&opened, options, stop)?;
    let notes = told(&parts).into_iter().chain(own.notes).collect();
    Ok(Own { notes, parts, ..own })
}

/// Reads rows, and finds out which choices they need.
fn settled(open: &Opener<'_>, options: &ReadOptions, stop: &StopRule<'_>) -> Result<Own, DataError> {
    let encoding = ColumnEncoding { recognise: true, ..options.encoding.clone() };
    let mut options = ReadOptions { encoding, ..options.clone() };
    match load(open, &options, stop, None) {
        Err(error) if is_gap(&error) => {}
        other => return other,
    }
    options.encoding.unlabelled = UnlabelledRows::Skip;
    let mut most = None;
    if options.encoding.missing == MissingValues::Refuse {
        let all = ColumnEncoding { missing: MissingValues::Indicator(Vec::new()), ..options.encoding.clone() };
        let (columns, seen) = gaps(open, &ReadOptions { encoding: all, ..options.clone() }, stop)?;
        most = seen;
        if !columns.is_empty() {
            options.encoding.missing = MissingValues::Indicator(columns);
        }
    }
    load(open, &options, stop, most)
}

/// Reads at most `most` rows.
fn load(open: &Opener<'_>, options: &ReadOptions, stop: &StopRule<'_>, most: Option<u64>) -> Result<Own, DataError> {
    let mut reader = Until { reader: open(options)?, stop, pass: 1, rows: 0, cut: false };
    let mut values = Some(Vec::new());
    // Where rows are beyond `most`, nobody knows their missing values.
    let table = read(&mut reader, most, |_, targets| targets.iter().for_each(|&target| keep(&mut values, target)))?;
    if let Some(values) = &mut values {
        values.sort_unstable_by(f64::total_cmp);
    }
    let plan = reader.plan().cloned();
    let mut notes = plan.as_ref().map(EncodingPlan::describe).unwrap_or_default();
    notes.extend(told_of_indices(reader.columns()));
    let skipped = reader.skipped();
    notes.extend(told_of_skipped(skipped));
    notes.extend(told_of_empty(reader.empty_files()));
    let classes = plan.as_ref().and_then(|plan| plan.target.classes());
    let classes = classes.map(|(negative, positive)| (negative.to_owned(), positive.to_owned()));
    let quantities = plan.as_ref().map_or_else(|| vec![true; table.input_names.len()], EncodingPlan::quantities);
    let (columns, cut) = (reader.columns().clone(), reader.cut || most.is_some());
    let parts = Vec::new();
    Ok(Own { table, options: options.clone(), plan, quantities, values, classes, skipped, notes, columns, cut, parts })
}

/// What is to be said of rows that were left out.
pub(crate) fn told_of_skipped(rows: u64) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("1 row is left out".into()),
        _ => Some(format!("{rows} rows are left out")),
    }
}

/// Keeps the distinct targets, as long as there are at most two.
pub(crate) fn keep(values: &mut Option<Vec<f64>>, target: f64) {
    if let Some(seen) = values
        && !seen.contains(&target)
    {
        seen.push(target);
        if seen.len() > 2 {
            *values = None;
        }
    }
}

/// Whether an error says that a value is missing.
fn is_gap(error: &DataError) -> bool {
    match error {
        DataError::Missing { gap: Gap::Input | Gap::Target, .. } => true,
        DataError::NotANumber { text, .. } | DataError::NotATarget { text, .. } | DataError::NotFinite { text, .. } => {
            is_missing(text.as_bytes())
        }
        _ => false,
    }
}

/// The columns with missing values, and how many rows were looked at, where those are not all.
fn gaps(
    open: &Opener<'_>,
    options: &ReadOptions,
    stop: &StopRule<'_>,
) -> Result<(Vec<String>, Option<u64>), DataError> {
    let mut reader = Until { reader: open(options)?, stop, pass: 0, rows: 0, cut: false };
    let names = reader.columns().inputs.clone();
    let width = names.len();
    let mut found = vec![false; width];
    scan(&mut reader, |inputs, _| {
        for row in inputs.chunks_exact(width) {
            found.iter_mut().zip(row).for_each(|(found, value)| *found |= *value != 0.0);
        }
    })?;
    let columns = names.iter().zip(found).filter(|(_, found)| *found);
    let columns = columns.filter_map(|(name, _)| name.strip_suffix(MISSING).map(str::to_owned)).collect();
    Ok((columns, reader.cut.then_some(reader.rows)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20,000 rows, of which only the last ones have gaps.
    #[test]
    fn reading_stops_where_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let rows: String = (0..20_000).map(|i| format!("{i},{}\n", i % 7)).collect();
        std::fs::write(&path, format!("x,y\n{rows},3\n")).unwrap();
        let options = ReadOptions { target: Some("y".into()), ..ReadOptions::default() };
        let whole = table_of(&path, &options, &|_, _, _| false).unwrap();
        assert_eq!((whole.table.rows(), whole.cut, whole.columns.inputs.len()), (20_001, false, 2));
        let part = table_of(&path, &options, &|rows, numbers, pass| {
            assert_eq!((numbers as u64, pass), (2 * rows, 1));
            rows >= 8_000
        });
        let part = part.unwrap();
        assert_eq!((part.table.rows(), part.cut, part.columns.inputs.len()), (8_192, true, 1));
        // The pass that looks for gaps may be stopped, too: rows that it has not seen are not read.
        let gap = format!("x,y\n,1\n{rows}");
        std::fs::write(&path, gap).unwrap();
        let part = table_of(&path, &options, &|rows, _, pass| pass == 0 && rows >= 4_000).unwrap();
        assert_eq!((part.table.rows(), part.cut, part.columns.inputs.len()), (4_096, true, 2));
    }

    /// A row without a target is left out, but what stands for a missing value is the mean of all rows before, as where such
    /// rows are predicted. A line that is no row at all teaches nothing.
    #[test]
    fn means_are_of_rows_without_targets_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "x,y\n1,1\n3,\nnonsense,\n,2\n5,4\n,\n").unwrap();
        let encoding = ColumnEncoding { numbers: vec!["x".into()], ..ColumnEncoding::default() };
        let options = ReadOptions { target: Some("y".into()), encoding, ..ReadOptions::default() };
        let own = table_of(&path, &options, &|_, _, _| false).unwrap();
        assert_eq!(own.table.targets, [1.0, 2.0, 4.0]);
        let row = |i| {
            let mut row = [0.0; 2];
            own.table.inputs.write_row(i, &mut row);
            row
        };
        assert_eq!([0, 1, 2].map(row), [[1.0, 0.0], [2.0, 1.0], [5.0, 0.0]]);
        assert_eq!(own.skipped, 3);
    }
}
