//! What can be set: which members take part, and which columns hold words.

use crate::learner::auto::bank::{BANK, LINEAR, Member, PLAIN};
use crate::params::{Fallback, Kind, ParamError, Params, Spec};
use crate::view::Column;

/// The parameter `members`.
pub(super) const MEMBERS: Spec = Spec {
    name: "members",
    doc: "which members take part: all; those without past targets and categories (plain); those without kernels and \
          neighbours (linear)",
    kind: Kind::Choice(&["all", "plain", "linear"]),
    default: Fallback::Word("all"),
};

/// The parameter `words`.
pub(super) const WORDS: Spec = Spec {
    name: "words",
    doc: "the columns, counted from 1, that hold numbers of words, as [[1, 3]]: they are categories and no quantities",
    kind: Kind::Rows { words: &["none"] },
    default: Fallback::Word("none"),
};

/// What the columns are.
pub(super) fn columns(params: &Params, dim: usize) -> Result<Vec<Column>, ParamError> {
    let mut columns = vec![Column::Number; dim];
    let Ok(words) = params.rows_or_word(WORDS.name) else { return Ok(columns) };
    for number in words.data() {
        let place = (*number >= 1.0 && number.fract() == 0.0).then_some(*number as usize - 1);
        match place.and_then(|place| columns.get_mut(place)) {
            Some(column) => *column = Column::Words,
            None => return Err(ParamError::refused(WORDS.name, format!("there is no column {number} among {dim}"))),
        }
    }
    Ok(columns)
}

/// The members that take part.
pub(super) fn members(params: &Params) -> &'static [Member] {
    match params.word(MEMBERS.name) {
        "plain" => PLAIN,
        "linear" => LINEAR,
        _ => BANK,
    }
}
