//! What can be set: which members take part, and which columns hold words.

use crate::learner::auto::bank::{BANK, BankMember, LINEAR, PLAIN};
use crate::params::typed::{OrWord, parameters};
use crate::params::{Fallback, Kind, ParamError};
use crate::view::ColumnKind;
use noregret_numeric::linalg::matrix::Matrix;

parameters! {
    /// Parameters of [`Auto`](super::Auto).
    pub struct AutoParams {
        /// which members take part: all; those without past targets and categories (plain); those without kernels and
        /// neighbours (linear)
        members: &'static str = Kind::Choice(&["all", "plain", "linear"]) => Fallback::Word("all");
        /// the columns, counted from 1, that hold numbers of words, as [[1, 3]]: they are categories and no quantities
        words: OrWord<Matrix> = Kind::Rows { words: &["none"] } => Fallback::Word("none");
    }
}

impl AutoParams {
    /// What the columns are.
    pub(super) fn columns(&self, dim: usize) -> Result<Vec<ColumnKind>, ParamError> {
        let mut columns = vec![ColumnKind::Number; dim];
        let Ok(words) = self.words.as_ref() else { return Ok(columns) };
        for number in words.data() {
            let place = (*number >= 1.0 && number.fract() == 0.0).then(|| *number as usize - 1);
            match place.and_then(|place| columns.get_mut(place)) {
                Some(column) => *column = ColumnKind::Words,
                None => return Err(ParamError::refused("words", format!("there is no column {number} among {dim}"))),
            }
        }
        Ok(columns)
    }

    /// The members that take part.
    pub(super) fn bank(&self) -> &'static [BankMember] {
        match self.members {
            "plain" => &PLAIN,
            "linear" => &LINEAR,
            _ => BANK,
        }
    }
}
