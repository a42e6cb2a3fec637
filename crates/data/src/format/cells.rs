//! Rows as a file holds them, before anything becomes a number.

use crate::encode::kinds::DeclaredKinds;
use crate::encode::number::is_missing;
use crate::error::{DataError, Location};

/// What a row holds in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FileCell<'a> {
    /// Nothing.
    Missing,
    /// A number, which may be infinite or not a number.
    Number(f64),
    /// Text.
    Text(&'a [u8]),
    /// A date, in seconds since 1970.
    Date(f64),
}

impl FileCell<'_> {
    /// Whether it holds nothing: no value, not a number, or a word for a missing one.
    pub(crate) fn is_missing(self) -> bool {
        match self {
            FileCell::Missing => true,
            FileCell::Number(number) => number.is_nan(),
            FileCell::Text(text) => is_missing(text),
            FileCell::Date(_) => false,
        }
    }

    /// Refuses a value that cannot name anything.
    ///
    /// # Errors
    /// It is a number beyond 2^53, which may have been another one in the file.
    pub(crate) fn named(self, at: impl Fn() -> Location) -> Result<(), DataError> {
        match self {
            FileCell::Number(number) if number.is_finite() && number.abs() >= 2f64.powi(53) => {
                Err(DataError::Rounded { at: Box::new(at()), number })
            }
            _ => Ok(()),
        }
    }
}

/// A source of rows, one at a time. It is not advanced again after the end or an error.
pub(crate) trait Cells: Send {
    /// The name of the file, for messages.
    fn file(&self) -> &str;

    /// The names of all columns of the file.
    fn names(&self) -> &[String];

    /// What the file declares of its columns, where its format can.
    fn kinds(&self) -> Option<&DeclaredKinds> {
        None
    }

    /// Says which columns will be asked for, by position from 0.
    ///
    /// # Errors
    /// A column whose values are neither numbers nor text nor dates.
    fn project(&mut self, positions: &[usize]) -> Result<(), DataError>;

    /// Moves to the next row; returns false at the end. A file without rows is an error.
    fn advance(&mut self) -> Result<bool, DataError>;

    /// What the row holds in the column at this position.
    fn cell(&self, position: usize) -> FileCell<'_>;

    /// Where that is, for messages.
    fn location(&self, position: usize) -> Location;
}
