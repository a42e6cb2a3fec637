//! Targets that hold classes, whatever these look like: which of two is +1, and which there are of more.

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

/// The options with the classes of the target: of two the one that is +1, found as that of two words is; where `several` may be,
/// all words of more. Numbers and codes count as words. The file is read to its end for it.
///
/// # Errors
/// One class only, too many, or more than two where only two may be.
pub(crate) fn with_classes(source: &DataSource, options: ReadOptions, several: bool) -> Result<ReadOptions, DataError> {
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
    let wrong = |why: String| DataError::Classes { file: source.to_string(), column: column.clone(), why };
    if several && words.len() > 2 {
        let labels = Labels::declared(&words).map_err(|why| wrong(why.to_string()))?;
        return Ok(ReadOptions { encoding: ColumnEncoding { labels, ..options.encoding }, ..options });
    }
    let encoder = TargetEncoder::of_words(&words, None).map_err(wrong)?;
    let positive = encoder.classes().map(|(_, positive)| positive.to_owned());
    Ok(ReadOptions { encoding: ColumnEncoding { positive, ..options.encoding }, ..options })
}
