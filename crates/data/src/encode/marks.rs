//! Columns that are told beside the inputs and the target: those that say which row it is, as the file has them, by which rows
//! are passed over; and further targets, as numbers.

use std::cmp::Ordering;

use crate::encode::choices::Decimal;
use crate::encode::date::{DateOrder, parse as parse_date};
use crate::encode::number::parse;
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
        Ok(Self { columns, after, level, further, weights: options.weights, ..Self::default() })
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
            let value = TargetEncoder::Number(decimal).value(cells.cell(at), || cells.location(at))?;
            match value {
                Some(weight) if self.weights && weight < 0.0 => {
                    return Err(DataError::NotAWeight { at: Box::new(cells.location(at)), weight });
                }
                None if self.weights && target => {
                    return Err(DataError::Missing { at: Box::new(cells.location(at)), gap: Gap::Weight });
                }
                _ => self.row.push(value.unwrap_or(f64::NAN)),
            }
        }
        Ok(())
    }

    /// Whether the row is before the value, or one of those at it that are passed over.
    pub(crate) fn passes_over(&mut self, cells: &dyn Cells) -> bool {
        let Some((at, last)) = &self.after else { return false };
        match order(&text(cells.cell(*at)), last) {
            Ordering::Less => true,
            Ordering::Equal if self.level > 0 => {
                self.level -= 1;
                true
            }
            _ => false,
        }
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
        FileCell::Number(number) | FileCell::Date(number) => number.to_string(),
    }
}

/// The order of two values: as numbers if both are, else as dates if both are, else letter by letter. What is missing comes
/// last: such a row has no place.
pub fn order(one: &str, other: &str) -> Ordering {
    if one.is_empty() || other.is_empty() {
        return one.is_empty().cmp(&other.is_empty());
    }
    // Integers of any length, such as times in nanoseconds, without rounding.
    if let (Ok(one), Ok(other)) = (one.parse::<i128>(), other.parse::<i128>()) {
        return one.cmp(&other);
    }
    let number = |text: &str| parse(text.as_bytes(), Decimal::Point).filter(|number| !number.is_nan());
    let date = |text: &str| parse_date(text.as_bytes(), DateOrder::DayFirst);
    match (number(one).zip(number(other)), date(one).zip(date(other))) {
        (Some((one, other)), _) | (None, Some((one, other))) => one.total_cmp(&other),
        (None, None) => one.cmp(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_what_they_are() {
        for (less, more) in
            [("9", "10"), ("-3", "2.5"), ("2024-01-31", "2024-02-01"), ("b", "c"), ("31.1.2024", "1.2.2024"), ("a", "")]
        {
            assert_eq!(order(less, more), Ordering::Less, "{less} {more}");
            assert_eq!(order(more, less), Ordering::Greater, "{less} {more}");
        }
        assert_eq!(order("1.0", "1"), Ordering::Equal);
        assert_eq!(order("1700000000000000002", "1700000000000000003"), Ordering::Less);
    }
}
