//! A file of the user's own as a table in memory, with as few questions as possible.

use std::path::Path;

use crate::dataset::encode::choices::{Encoding, Missing, Unlabelled};
use crate::dataset::encode::column::MISSING;
use crate::dataset::encode::number::is_missing;
use crate::dataset::encode::plan::Plan;
use crate::dataset::error::{DataError, Gap};
use crate::dataset::format::open::open;
use crate::dataset::format::{ReadOptions, Source};
use crate::dataset::table::{Table, read, scan};

/// A file as a table.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its rows, in file order and encoded: each row from itself and from earlier ones.
    pub table: Table,
    /// The options that read these rows again, with everything that was found out written down. `noregret stream` takes
    /// them as `cli::file_args::arguments` says.
    pub options: ReadOptions,
    /// The encoders after the last row; None if all columns hold plain numbers.
    pub plan: Option<Plan>,
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
}

/// Reads a file of any format into a table: at most `most` rows, or all. Kinds of columns are recognised. Unless the
/// options choose what happens to missing values, each column with some is filled by its running mean and gets an
/// indicator (see [`Missing::Indicator`]). Rows without a target are left out.
///
/// # Errors
/// What is wrong with the file, with the place and the remedy.
pub fn table_of(path: &Path, options: &ReadOptions, most: Option<u64>) -> Result<Own, DataError> {
    let source = Source::Path(path.to_owned());
    let encoding = Encoding { recognise: true, ..options.encoding.clone() };
    let mut options = ReadOptions { encoding, ..options.clone() };
    match load(&source, &options, most) {
        Err(error) if is_gap(&error) => {}
        other => return other,
    }
    options.encoding.unlabelled = Unlabelled::Skip;
    if options.encoding.missing == Missing::Refuse {
        let all = Encoding { missing: Missing::Indicator(Vec::new()), ..options.encoding.clone() };
        let columns = gaps(&source, &ReadOptions { encoding: all, ..options.clone() })?;
        if !columns.is_empty() {
            options.encoding.missing = Missing::Indicator(columns);
        }
    }
    load(&source, &options, most)
}

fn load(source: &Source, options: &ReadOptions, most: Option<u64>) -> Result<Own, DataError> {
    let mut reader = open(source, options)?;
    let mut values = Some(Vec::new());
    let table = read(reader.as_mut(), most, |_, targets| targets.iter().for_each(|&target| keep(&mut values, target)))?;
    if let Some(values) = &mut values {
        values.sort_unstable_by(f64::total_cmp);
    }
    let plan = reader.plan().cloned();
    let mut notes = plan.as_ref().map(Plan::describe).unwrap_or_default();
    let skipped = reader.skipped();
    if skipped > 0 {
        notes.push(format!("{skipped} rows are left out"));
    }
    let classes = plan.as_ref().and_then(|plan| plan.target.classes());
    let classes = classes.map(|(negative, positive)| (negative.to_owned(), positive.to_owned()));
    let quantities = plan.as_ref().map_or_else(|| vec![true; table.input_names.len()], Plan::quantities);
    Ok(Own { table, options: options.clone(), plan, quantities, values, classes, skipped, notes })
}

/// Keeps the distinct targets, as long as there are at most two.
fn keep(values: &mut Option<Vec<f64>>, target: f64) {
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
        DataError::NotANumber { text, .. } | DataError::NotFinite { text, .. } => is_missing(text.as_bytes()),
        _ => false,
    }
}

/// The columns with missing values.
fn gaps(source: &Source, options: &ReadOptions) -> Result<Vec<String>, DataError> {
    let mut reader = open(source, options)?;
    let names = reader.columns().inputs.clone();
    let width = names.len();
    let mut found = vec![false; width];
    scan(reader.as_mut(), |inputs, _| {
        for row in inputs.chunks_exact(width) {
            found.iter_mut().zip(row).for_each(|(found, value)| *found |= *value != 0.0);
        }
    })?;
    let columns = names.iter().zip(found).filter(|(_, found)| *found);
    Ok(columns.filter_map(|(name, _)| name.strip_suffix(MISSING).map(str::to_owned)).collect())
}
