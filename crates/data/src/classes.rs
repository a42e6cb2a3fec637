//! Targets that are declared to hold classes, whatever these look like: which of the two is +1.

use crate::encode::choices::{ColumnEncoding, Labels, UnlabelledRows};
use crate::encode::kinds::{DeclaredKind, DeclaredKinds};
use crate::encode::target::TargetEncoder;
use crate::error::DataError;
use crate::format::open::open;
use crate::format::{DataSource, ReadOptions};
use crate::table::scan;

/// Whether the target of `options` is declared to hold classes, in a file with columns of these `names`.
pub(crate) fn has_classes(options: &ReadOptions, names: &[String], kinds: &DeclaredKinds) -> bool {
    let target = options.target.as_deref().and_then(|target| resolved(names, target));
    target.is_some_and(|target| kinds.get(&target) == Some(&DeclaredKind::Category))
}

/// The name of a column that is given by its name or its number from 1.
pub(crate) fn resolved(names: &[String], column: &str) -> Option<String> {
    let column = column.trim();
    let numbered = || column.parse::<usize>().ok().and_then(|number| names.get(number.checked_sub(1)?));
    names.iter().find(|name| *name == column).or_else(numbered).cloned()
}

/// The options with the class that is +1, found as that of two words is; numbers and codes count as words. The file is read to
/// its end for it.
///
/// # Errors
/// More or fewer than two classes: tasks of datasets have no others, and this is the one place that refuses them.
pub(crate) fn two_classes(source: &DataSource, options: ReadOptions) -> Result<ReadOptions, DataError> {
    let labels = Labels::Always(Vec::new());
    // A row without a class is refused, or left out, when the file is read for its rows.
    let encoding = ColumnEncoding { labels, unlabelled: UnlabelledRows::Keep, ..options.encoding.clone() };
    let mut reader = open(source, &ReadOptions { encoding, ..options.clone() })?;
    scan(reader.as_mut(), |_, _| {})?;
    let column = reader.columns().target.clone();
    let words = match reader.plan().map(|plan| &plan.target) {
        Some(TargetEncoder::Classes { words, .. }) => words.clone(),
        _ => Vec::new(),
    };
    let encoder = TargetEncoder::of_words(&words, None);
    let encoder = encoder.map_err(|why| DataError::Classes { file: source.to_string(), column, why })?;
    let positive = encoder.classes().map(|(_, positive)| positive.to_owned());
    Ok(ReadOptions { encoding: ColumnEncoding { positive, ..options.encoding }, ..options })
}
