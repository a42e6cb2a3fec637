//! One column of a file and the columns that it becomes.

use serde::{Deserialize, Serialize};

use crate::encode::category::Category;
use crate::encode::choices::{CategoryAs, ColumnEncoding, DateAs, Decimal, MissingValues};
use crate::encode::date::{self, Date, DateOrder};
use crate::encode::number::{is_missing, parse};
use crate::encode::recognise::RecognisedKind;
use crate::error::{DataError, Location, excerpt};
use crate::format::cells::FileCell;

/// What follows the name of a column in that of its indicator.
pub(crate) const MISSING: &str = "#missing";

/// An input column of a file, with what its encoder has learned from the rows so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// Its name in the file.
    pub name: String,
    encoder: Encoder,
    /// The decimal sign of its numbers.
    pub(super) decimal: Decimal,
    /// The means of the encoded columns over earlier rows, where missing values take them.
    means: Option<Vec<f64>>,
    /// Rows in the means.
    rows: u64,
    /// Whether a further column says where a value was missing.
    indicator: bool,
    /// Whether the means stay as they are.
    #[serde(skip)]
    pub(super) settled: bool,
}

/// What becomes of the values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Encoder {
    Number,
    Category(Category),
    Date(Date),
    Later(Later),
}

/// A column that is empty in the first row. It becomes one column, whatever its first cell is: a number, a code of a word, or
/// days since the first date. Its width thus owes nothing to later rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Later {
    /// The most codes.
    limit: usize,
    month_first: bool,
    /// What its first cell was.
    found: Option<Box<Encoder>>,
}

impl Later {
    /// What this cell makes of it, if it is the first one that is not empty.
    fn recognise(&self, cell: FileCell<'_>, decimal: Decimal) -> Option<Encoder> {
        let date = |order| Encoder::Date(Date::new(DateAs::Elapsed, order, false));
        let order = if self.month_first { DateOrder::MonthFirst } else { DateOrder::DayFirst };
        match cell {
            FileCell::Missing => None,
            FileCell::Number(number) => (!number.is_nan()).then_some(Encoder::Number),
            FileCell::Date(_) => Some(date(order)),
            FileCell::Text(text) if is_missing(text) => None,
            FileCell::Text(text) if parse(text, decimal).is_some() => Some(Encoder::Number),
            FileCell::Text(text) => {
                let orders = [order, DateOrder::DayFirst, DateOrder::MonthFirst];
                let dates = orders.into_iter().find(|order| date::parse(text, *order).is_some()).map(date);
                Some(dates.unwrap_or_else(|| Encoder::Category(Category::new(CategoryAs::Codes, self.limit))))
            }
        }
    }
}

/// A value of a row, as its column understands it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColumnValue<'a> {
    /// Nothing.
    Missing,
    /// A finite number.
    Number(f64),
    /// The text of a category.
    Category(&'a [u8]),
    /// In seconds since 1970.
    Date(f64),
}

impl EncodedColumn {
    /// The description of a column of numbers.
    pub(crate) const NUMBER: &str = "number";

    /// A column of this kind that has seen no row.
    pub(crate) fn new(name: &str, kind: RecognisedKind, encoding: &ColumnEncoding, decimal: Decimal) -> Self {
        let encoder = match kind {
            RecognisedKind::Number => Encoder::Number,
            RecognisedKind::Category(width) => Encoder::Category(Category::new(encoding.category_as, width)),
            RecognisedKind::Date(order, clock) => Encoder::Date(Date::new(encoding.date_as, order, clock)),
            RecognisedKind::Later => {
                let limit = ColumnEncoding { category_as: CategoryAs::Codes, ..encoding.clone() }.limit();
                Encoder::Later(Later { limit, month_first: encoding.month_first, found: None })
            }
        };
        let indicator = match &encoding.missing {
            MissingValues::Indicator(columns) => columns.is_empty() || columns.iter().any(|column| column == name),
            _ => false,
        };
        let mut column = Self { name: name.into(), encoder, decimal, means: None, rows: 0, indicator, settled: false };
        if matches!(encoding.missing, MissingValues::Mean | MissingValues::Indicator(_)) {
            column.means = Some(vec![0.0; column.names().len() - usize::from(indicator)]);
        }
        column
    }

    /// The names of the columns that it becomes.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = match &self.encoder {
            Encoder::Number | Encoder::Later(_) => vec![self.name.clone()],
            Encoder::Category(category) => category.names(&self.name),
            Encoder::Date(date) => date.names(&self.name),
        };
        if self.indicator {
            names.push(format!("{}{MISSING}", self.name));
        }
        names
    }

    /// Its kind, in words.
    pub(crate) fn describe(&self) -> String {
        let kind = match &self.encoder {
            Encoder::Number => Self::NUMBER.to_owned(),
            Encoder::Category(_) if self.is_codes() => "categories as codes".to_owned(),
            Encoder::Category(category) => format!("categories in {} columns", category.width()),
            Encoder::Date(_) => format!("date in {} columns", self.names().len() - usize::from(self.indicator)),
            Encoder::Later(_) => {
                "empty in the first row, so one column, of the kind of its first value (say it beforehand with \
                                  --numbers, --categories or --dates)"
                    .to_owned()
            }
        };
        if self.indicator { format!("{kind}, and one for missing values") } else { kind }
    }

    /// Whether values pass through it unchanged.
    pub(crate) fn is_plain(&self) -> bool {
        self.encoder == Encoder::Number && self.means.is_none() && self.decimal == Decimal::Point
    }

    /// Whether it holds categories.
    pub fn is_category(&self) -> bool {
        matches!(self.encoder, Encoder::Category(_))
    }

    /// Whether it becomes one column of codes.
    pub(crate) fn is_codes(&self) -> bool {
        matches!(&self.encoder, Encoder::Category(category) if category.how() == CategoryAs::Codes)
    }

    /// Whether it holds dates.
    pub fn is_date(&self) -> bool {
        matches!(self.encoder, Encoder::Date(_))
    }

    /// What the cell means in this column.
    ///
    /// # Errors
    /// What is wrong with it; `at` is where it is.
    pub(crate) fn value<'a>(
        &self,
        cell: FileCell<'a>,
        at: impl Fn() -> Location,
    ) -> Result<ColumnValue<'a>, DataError> {
        self.value_by(&self.encoder, cell, &at)
    }

    fn value_by<'a>(
        &self,
        encoder: &Encoder,
        cell: FileCell<'a>,
        at: &impl Fn() -> Location,
    ) -> Result<ColumnValue<'a>, DataError> {
        let wrong = |text: &[u8]| DataError::NotANumber { at: Box::new(at()), text: excerpt(text) };
        match (encoder, cell) {
            (_, FileCell::Missing) => Ok(ColumnValue::Missing),
            (_, gap) if gap.is_missing() => Ok(ColumnValue::Missing),
            (Encoder::Later(Later { found: Some(found), .. }), cell) => self.value_by(found, cell, at),
            (Encoder::Later(later), cell) => match later.recognise(cell, self.decimal) {
                Some(first) => self.value_by(&first, cell, at),
                None => Ok(ColumnValue::Missing),
            },
            (Encoder::Number, FileCell::Number(number)) => {
                finite(number, || number.to_string(), at).map(ColumnValue::Number)
            }
            (Encoder::Number, FileCell::Text(text)) => {
                let number = parse(text, self.decimal).ok_or_else(|| wrong(text))?;
                finite(number, || excerpt(text), at).map(ColumnValue::Number)
            }
            (Encoder::Number, FileCell::Date(_)) => Err(wrong(b"date")),
            (Encoder::Category(_), FileCell::Text(text)) => Ok(ColumnValue::Category(text)),
            // Numbers and dates are categories only in formats with types, where `wanted` makes text of them.
            (Encoder::Category(_), FileCell::Number(number)) => {
                cell.named(at)?;
                Ok(ColumnValue::Number(number))
            }
            (Encoder::Category(_), FileCell::Date(seconds)) => Ok(ColumnValue::Date(seconds)),
            (Encoder::Date(date), FileCell::Text(text)) => date::parse(text, date.order)
                .map(ColumnValue::Date)
                .ok_or_else(|| DataError::NotADate { at: Box::new(at()), text: excerpt(text) }),
            (Encoder::Date(_), FileCell::Date(seconds) | FileCell::Number(seconds)) => {
                finite(seconds, || seconds.to_string(), at).map(ColumnValue::Date)
            }
        }
    }

    /// Takes note of a cell of a row that counts: the first one that is not empty says what the column holds, where that is
    /// not known.
    pub(crate) fn settle(&mut self, cell: FileCell<'_>) {
        let decimal = self.decimal;
        if let Encoder::Later(later) = &mut self.encoder
            && later.found.is_none()
        {
            later.found = later.recognise(cell, decimal).map(Box::new);
        }
    }

    /// Appends the encoded columns of a value, and learns from it.
    pub(crate) fn push(&mut self, value: ColumnValue<'_>, out: &mut Vec<f64>) {
        let start = out.len();
        if value == ColumnValue::Missing {
            match &self.means {
                Some(means) => out.extend_from_slice(means),
                None => out.resize(start + self.names().len(), f64::NAN),
            }
            if self.indicator {
                out.push(1.0);
            }
            return;
        }
        self.encoder.push(value, out);
        if let Some(means) = self.means.as_mut().filter(|_| !self.settled) {
            self.rows += 1;
            for (mean, value) in means.iter_mut().zip(&out[start..]) {
                *mean += (value - *mean) / self.rows as f64;
            }
        }
        if self.indicator {
            out.push(0.0);
        }
    }
}

impl Encoder {
    /// Appends the columns of a value that is not missing.
    fn push(&mut self, value: ColumnValue<'_>, out: &mut Vec<f64>) {
        match (self, value) {
            (Encoder::Later(Later { found: Some(found), .. }), value) => found.push(value, out),
            (Encoder::Category(category), value) => match value {
                ColumnValue::Number(number) => category.push(number.to_string().as_bytes(), out),
                ColumnValue::Date(seconds) => category.push(date::written(seconds).as_bytes(), out),
                ColumnValue::Category(text) => category.push(text, out),
                ColumnValue::Missing => {}
            },
            (Encoder::Date(date), ColumnValue::Date(seconds) | ColumnValue::Number(seconds)) => date.push(seconds, out),
            (_, ColumnValue::Number(number) | ColumnValue::Date(number)) => out.push(number),
            (_, ColumnValue::Category(_) | ColumnValue::Missing) => out.push(0.0),
        }
    }
}

/// The number, provided that it is finite. `text` is how the file has it.
pub(crate) fn finite(number: f64, text: impl FnOnce() -> String, at: impl Fn() -> Location) -> Result<f64, DataError> {
    if number.is_finite() { Ok(number) } else { Err(DataError::NotFinite { at: Box::new(at()), text: text() }) }
}
