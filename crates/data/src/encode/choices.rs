//! The choices of how columns become numbers, as a user makes them.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use crate::encode::column_list::{list_of, names_of};
use noregret_core::learner::classes::MOST;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How columns become numbers. The default is that of declared datasets: every column holds numbers, and anything else
/// is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ColumnEncoding {
    /// Whether the kinds of columns are recognised by the first rows. If not, columns hold numbers unless they are
    /// named below.
    #[serde(skip_serializing_if = "is_default")]
    pub recognise: bool,
    /// Whether the kind of a column is that of its first cell that is not empty, instead of that of most of the first rows,
    /// so that nothing depends on later rows. Columns of categories then have room for as many as the limit allows.
    #[serde(skip_serializing_if = "is_default")]
    pub first_cell: bool,
    /// Columns of numbers, whatever their first cells hold.
    #[serde(skip_serializing_if = "is_default")]
    pub numbers: Vec<String>,
    /// Columns of categories, recognised as such or not.
    #[serde(skip_serializing_if = "is_default")]
    pub categories: Vec<String>,
    /// Columns of dates, recognised as such or not.
    #[serde(skip_serializing_if = "is_default")]
    pub dates: Vec<String>,
    /// How a category becomes numbers.
    #[serde(skip_serializing_if = "is_default")]
    pub category_as: CategoryAs,
    /// The most columns that one column of categories becomes, or the most codes; without it 16 columns, or 1,024 codes.
    #[serde(skip_serializing_if = "is_default")]
    pub category_limit: Option<NonZeroU32>,
    /// How a date becomes numbers.
    #[serde(skip_serializing_if = "is_default")]
    pub date_as: DateAs,
    /// Whether dates such as 01/02/2024 have the month first, where the first rows do not tell.
    #[serde(skip_serializing_if = "is_default")]
    pub month_first: bool,
    /// What happens to rows with missing inputs.
    #[serde(skip_serializing_if = "is_default")]
    pub missing: MissingValues,
    /// The decimal sign; None means a point, or, where kinds are recognised, what the first rows show.
    #[serde(skip_serializing_if = "is_default")]
    pub decimal: Option<Decimal>,
    /// The word that becomes the target +1, where targets are words; all others then become -1.
    #[serde(skip_serializing_if = "is_default")]
    pub positive: Option<String>,
    /// Which targets are classes. Experiments have two.
    #[serde(skip)]
    pub labels: Labels,
    /// What happens to rows without a target.
    #[serde(skip_serializing_if = "is_default")]
    pub unlabelled: UnlabelledRows,
}

/// Which targets are classes, and which numbers these have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// Words, which must be two: -1 and 1.
    #[default]
    Two,
    /// Words, as many as there are: 0, 1, 2, ... in the order in which they appear.
    Words,
    /// Whatever the cells hold; these classes first, and no others unless there are none here.
    Always(Vec<String>),
}

/// Why words are not the names of classes.
#[derive(Debug, thiserror::Error)]
pub enum DeclaredClassesError {
    /// There are so many.
    #[error("names {0} classes, and there may be {MOST}")]
    TooMany(usize),
    /// One is empty.
    #[error("names a class that is empty")]
    Empty,
    /// One is there twice, whatever its capitals.
    #[error("names the class `{0}` twice; capitals do not count")]
    Twice(String),
}

impl Labels {
    /// The classes that are declared by these words; none means that they are those of the file.
    ///
    /// # Errors
    /// A word that is empty or is there twice, whatever its capitals, and too many of them.
    pub fn declared(words: &[String]) -> Result<Self, DeclaredClassesError> {
        let words: Vec<String> = words.iter().map(|word| word.trim().to_owned()).collect();
        let mut known = BTreeSet::new();
        if words.len() > MOST {
            return Err(DeclaredClassesError::TooMany(words.len()));
        }
        for word in &words {
            if word.is_empty() {
                return Err(DeclaredClassesError::Empty);
            }
            if !known.insert(word.to_lowercase()) {
                return Err(DeclaredClassesError::Twice(word.clone()));
            }
        }
        Ok(Self::Always(words))
    }
}

/// The most columns that a column of categories becomes by default.
pub(crate) const LIMIT: u32 = 16;

/// The most codes of a column of categories by default.
pub(crate) const MOST_CODES: u32 = 1 << 10;

/// The largest limit, so that rows cannot exhaust the memory.
pub(crate) const MOST_SLOTS: u32 = 1 << 16;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl ColumnEncoding {
    /// The choices of a user who says nothing else: kinds are recognised.
    pub fn recognising() -> Self {
        Self { recognise: true, ..Self::default() }
    }

    /// Whether every column is a column of plain numbers, so that nothing has to be encoded.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self { unlabelled: self.unlabelled, ..Self::default() } && self.unlabelled != UnlabelledRows::Skip
    }

    /// Whether a declared dataset may have these choices; `several` says that it has more than one file.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn fits_dataset(&self, several: bool) -> Result<(), String> {
        if self.unlabelled == UnlabelledRows::Keep {
            return Err("`encoding.unlabelled` must be \"refuse\" or \"skip\": a dataset has targets".into());
        }
        if several && *self != Self::default() {
            return Err("`encoding` needs one file: what encoders learn does not pass from file to file".into());
        }
        Ok(())
    }

    /// The most columns, or codes, of a category.
    pub(crate) fn limit(&self) -> usize {
        let default = if self.category_as == CategoryAs::Codes { MOST_CODES } else { LIMIT };
        self.category_limit.map_or(default, NonZeroU32::get).clamp(2, MOST_SLOTS) as usize
    }
}

/// How a category becomes numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CategoryAs {
    /// A column for each value, in the order in which they appear; values beyond the limit share the last column.
    #[default]
    OneHot,
    /// A column for each hash: values whose hashes agree share one.
    Hash,
    /// One column of codes: 0, 1, 2, ... in the order in which values appear; values beyond the limit share the last code.
    Codes,
}

/// How a date becomes numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DateAs {
    /// Sine and cosine of the angle in the year and in the week, and in the day where there are times of day.
    Parts,
    /// Days since the first date of the column.
    Elapsed,
    /// Both.
    #[default]
    Both,
    /// Both, and the weekday (0 is Monday) and, where there are times of day, the hour as whole numbers: for learners that make
    /// categories of these.
    Calendar,
}

/// What happens to rows with missing inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingValues {
    /// They are errors.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
    /// A missing value becomes the mean of the column in earlier rows (0 in the first).
    Mean,
    /// The same, and a further column is 1 where the value was missing and 0 elsewhere. Only these columns have one;
    /// none named means all.
    Indicator(Vec<String>),
    /// It stays missing, as NaN: a forecast that is absent. This is for learners of forecasts, and cannot be asked for.
    #[schemars(skip)]
    Keep,
}

impl FromStr for MissingValues {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, columns) = text.split_once('=').map_or((text, None), |(word, columns)| (word, Some(columns)));
        match (word, columns) {
            ("refuse", None) => Ok(MissingValues::Refuse),
            ("drop", None) => Ok(MissingValues::Drop),
            ("mean", None) => Ok(MissingValues::Mean),
            ("indicator", None) => Ok(MissingValues::Indicator(Vec::new())),
            ("indicator", Some(columns)) => Ok(MissingValues::Indicator(names_of(columns))),
            _ => Err(format!("`{text}` is none of refuse, drop, mean, indicator and indicator=COLUMN,...")),
        }
    }
}

impl fmt::Display for MissingValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingValues::Refuse => f.write_str("refuse"),
            MissingValues::Drop => f.write_str("drop"),
            MissingValues::Mean => f.write_str("mean"),
            MissingValues::Keep => f.write_str("keep"),
            MissingValues::Indicator(columns) if columns.is_empty() => f.write_str("indicator"),
            MissingValues::Indicator(columns) => write!(f, "indicator={}", list_of(columns)),
        }
    }
}

/// The sign between units and fractions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decimal {
    /// A point.
    #[default]
    Point,
    /// A comma; points then group digits. Fields are separated by semicolons or tabs.
    Comma,
}

/// What happens to rows without a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnlabelledRows {
    /// They are errors.
    #[default]
    Refuse,
    /// They have the target NaN: predict them, but do not learn from them.
    Keep,
    /// They are left out.
    Skip,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_reads_back_what_it_prints() {
        for text in ["refuse", "drop", "mean", "indicator", "indicator=a,b"] {
            assert_eq!(text.parse::<MissingValues>().unwrap().to_string(), text);
        }
        for wrong in ["", "zero", "mean=a", "drop=x"] {
            assert!(wrong.parse::<MissingValues>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_default_is_plain_and_writes_nothing() {
        assert!(ColumnEncoding::default().is_plain());
        assert!(ColumnEncoding { unlabelled: UnlabelledRows::Keep, ..ColumnEncoding::default() }.is_plain());
        assert!(!ColumnEncoding::recognising().is_plain());
        assert_eq!(toml::to_string(&ColumnEncoding::default()).unwrap(), "");
        let all = ColumnEncoding {
            recognise: true,
            categories: vec!["a".into()],
            category_limit: NonZeroU32::new(5),
            missing: MissingValues::Indicator(vec!["b".into()]),
            decimal: Some(Decimal::Comma),
            ..ColumnEncoding::default()
        };
        assert_eq!(toml::from_str::<ColumnEncoding>(&toml::to_string(&all).unwrap()).unwrap(), all);
    }
}
