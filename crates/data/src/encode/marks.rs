//! Columns that are told beside the inputs and the target: those that say which row it is, as the file has them, by which rows
//! are passed over; and further targets, as numbers.

use std::cmp::Ordering;

use crate::encode::choices::Decimal;
use crate::encode::date::{DateOrder, parse as parse_date, written};
use crate::encode::number::{is_missing, parse};
use crate::encode::target::TargetEncoder;
use crate::error::{DataError, Gap, nearest};
use crate::format::ReadOptions;
use crate::format::cells::{Cells, FileCell};
use crate::text::decoded;

/// The columns that are told, and the value up to which rows are passed over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    columns: Vec<usize>,
    after: Option<(usize, String)>,
    /// How many rows at that value are still to be passed over.
    level: u64,
    kept: Vec<String>,
    further: Vec<usize>,
    /// Whether these are weights of the rows.
    weights: bool,
    /// Whether the month comes before the day.
    month_first: bool,
    /// The further targets of the row that is read, and those of the rows that were taken note of.
    row: Vec<f64>,
    numbers: Vec<f64>,
}

impl Marks {
    /// Those that the options name, in a file with columns of these `names`.
    ///
    /// # Errors
    /// A name that no column has.
    pub(crate) fn find(file: &str, names: &[String], options: &ReadOptions) -> Result<Self, DataError> {
        let find = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| DataError::NoColumn {
                file: file.to_owned(),
                column: name.clone(),
                nearest: nearest(name, names.iter().map(String::as_str)),
                known: names.to_vec(),
            })
        };
        let columns = options.marks.iter().map(find).collect::<Result<_, _>>()?;
        let after = options.after.as_ref().map(|(column, last)| Ok((find(column)?, last.clone()))).transpose()?;
        let further = options.further_targets.iter().map(find).collect::<Result<_, _>>()?;
        let level = options.after_rows.unwrap_or(u64::MAX);
        let (weights, month_first) = (options.weights, options.encoding.month_first);
        Ok(Self { columns, after, level, further, weights, month_first, ..Self::default() })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.after.is_none() && self.further.is_empty()
    }

    /// Where they are in the file.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let after = self.after.as_ref().map(|(at, _)| *at);
        self.columns.iter().copied().chain(after).chain(self.further.iter().copied()).collect()
    }

    /// Looks at what a row is called, and reads the further targets of one that has a target or not; NaN for one that is missing.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub(crate) fn read(&mut self, cells: &dyn Cells, decimal: Decimal, target: bool) -> Result<(), DataError> {
        for &at in &self.columns {
            cells.cell(at).named(|| cells.location(at))?;
        }
        self.row.clear();
        for &at in &self.further {
            let value = TargetEncoder::Number(decimal).value(cells.cell(at), || cells.location(at));
            let value = value.map_err(|error| match error {
                DataError::NotATarget { at, text } if self.weights => DataError::NotAWeight { at, weight: text },
                error => error,
            })?;
            match value {
                Some(weight) if self.weights && weight < 0.0 => {
                    let (at, weight) = (Box::new(cells.location(at)), weight.to_string());
                    return Err(DataError::NotAWeight { at, weight });
                }
                None if self.weights && target => {
                    return Err(DataError::Missing { at: Box::new(cells.location(at)), gap: Gap::Weight });
                }
                _ => self.row.push(value.unwrap_or(f64::NAN)),
            }
        }
        Ok(())
    }

    /// Where the row stands, seen from the value: before it, or at it as long as rows there are to be passed over. None
    /// behind that.
    pub(crate) fn passed(&self, cells: &dyn Cells, decimal: Decimal) -> Option<Ordering> {
        let (at, last) = self.after.as_ref()?;
        let places = MarkOrder { decimal, month_first: self.month_first };
        match places.order(&text(cells.cell(*at)), last) {
            Ordering::Equal if self.level == 0 => None,
            place => Some(place).filter(|place| place.is_le()),
        }
    }

    /// Takes note that a row at the value was passed over that had been played.
    pub(crate) fn pass(&mut self) {
        self.level -= 1;
    }

    /// Takes note of a row.
    pub(crate) fn keep(&mut self, cells: &dyn Cells) {
        self.kept.extend(self.columns.iter().map(|at| text(cells.cell(*at))));
        self.numbers.append(&mut self.row);
    }

    /// Forgets the rows so far.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        self.numbers.clear();
    }

    /// The values of the rows since then.
    pub(crate) fn kept(&self) -> &[String] {
        &self.kept
    }

    /// The further targets of the rows since then, one row after the other.
    pub(crate) fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

/// A value as text.
fn text(cell: FileCell<'_>) -> String {
    match cell {
        FileCell::Missing => String::new(),
        FileCell::Text(text) => decoded(text.trim_ascii()).into_owned(),
        FileCell::Number(number) => number.to_string(),
        FileCell::Date(seconds) => written(seconds),
    }
}

/// How values are written, by which rows stand in an order.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkOrder {
    /// The decimal sign of numbers.
    pub decimal: Decimal,
    /// Whether the month comes before the day in dates that do not begin with the year.
    pub month_first: bool,
}

impl MarkOrder {
    /// The order of two values: as numbers if both are, else as dates if both are, else letter by letter. What is missing
    /// comes last: such a row has no place.
    pub fn order(self, one: &str, other: &str) -> Ordering {
        let missing = [one, other].map(Self::is_missing);
        if missing != [false; 2] {
            return missing[0].cmp(&missing[1]);
        }
        // Integers of any length, such as times in nanoseconds, without rounding.
        if let (Ok(one), Ok(other)) = (one.parse::<i128>(), other.parse::<i128>()) {
            return one.cmp(&other);
        }
        let number = |text: &str| parse(text.as_bytes(), self.decimal).filter(|number| !number.is_nan());
        match (number(one).zip(number(other)), self.date(one).zip(self.date(other))) {
            (Some((one, other)), _) | (None, Some((one, other))) => one.total_cmp(&other),
            (None, None) => one.cmp(other),
        }
    }

    /// Whether a value is missing: it is empty, or a word for a gap.
    pub fn is_missing(value: &str) -> bool {
        is_missing(value.as_bytes())
    }

    /// Whether a value is a date if the month comes first, and none as it is read.
    pub fn is_other_date(self, value: &str) -> bool {
        let other = Self { month_first: !self.month_first, ..self };
        self.date(value).is_none() && other.date(value).is_some()
    }

    fn date(self, text: &str) -> Option<f64> {
        parse_date(text.as_bytes(), if self.month_first { DateOrder::MonthFirst } else { DateOrder::DayFirst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_what_they_are() {
        let order = |one: &str, other: &str| MarkOrder::default().order(one, other);
        for (less, more) in
            [("9", "10"), ("-3", "2.5"), ("2024-01-31", "2024-02-01"), ("b", "c"), ("31.1.2024", "1.2.2024"), ("a", "")]
        {
            assert_eq!(order(less, more), Ordering::Less, "{less} {more}");
            assert_eq!(order(more, less), Ordering::Greater, "{less} {more}");
        }
        assert_eq!(order("1.0", "1"), Ordering::Equal);
        for (less, more) in [("3", "NA"), ("a", "null"), ("2024-01-31", "NaN"), ("09", "0a"), ("0b", "10")] {
            assert_eq!([order(less, more), order(more, less)], [Ordering::Less, Ordering::Greater], "{less} {more}");
        }
        assert_eq!(order("NA", ""), Ordering::Equal);
        assert!(MarkOrder::is_missing("NaN") && MarkOrder::is_missing("") && !MarkOrder::is_missing("b"));
        assert_eq!(order("1700000000000000002", "1700000000000000003"), Ordering::Less);
        let american = MarkOrder { decimal: Decimal::Comma, month_first: true };
        assert_eq!(american.order("02/12/2024", "03/01/2024"), Ordering::Less);
        assert_eq!(american.order("2,5", "10,5"), Ordering::Less);
        assert!(MarkOrder::default().is_other_date("01/30/2024") && !american.is_other_date("01/30/2024"));
    }
}
