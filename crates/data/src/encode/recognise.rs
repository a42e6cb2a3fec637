//! The kind of a column, recognised by its first cell that is not empty, or by its first rows.

use std::collections::BTreeSet;

use crate::encode::choices::{CategoryAs, ColumnEncoding, Decimal, MissingValues};
use crate::encode::date::{DateOrder, parse as parse_date};
use crate::encode::number::{disguised, is_missing, parse};
use crate::format::cells::FileCell;
use crate::text::{beginning, decoded};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecognisedKind {
    /// Numbers.
    Number,
    /// Categories, in this many columns.
    Category(usize),
    /// Dates in this order of their parts; whether with times of day.
    Date(DateOrder, bool),
    /// What its first cell will be, in one column.
    Later,
}

/// What the first rows hold in one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnSample {
    values: u64,
    missing: u64,
    /// Numbers with a decimal point, and with a decimal comma.
    numbers: [u64; 2],
    /// Dates with the day first, and with the month first.
    dates: [u64; 2],
    clock: bool,
    /// Whether the file says that these are dates: then midnight is a time of day, too.
    typed: bool,
    /// Numbers only with a decimal comma (not 1,234, whose comma may group digits), less those only with a point.
    commas: i64,
    /// Whether a number was written for people.
    disguised: bool,
    /// The distinct words, up to [`MOST_WORDS`].
    words: BTreeSet<String>,
}

/// The most distinct words that are counted, and the longest that is kept.
const MOST_WORDS: usize = 1 << 12;
const LONGEST: usize = 256;

impl ColumnSample {
    /// Adds a row.
    pub(crate) fn add(&mut self, cell: FileCell<'_>) {
        match cell {
            FileCell::Missing => self.missing += 1,
            FileCell::Text(text) if is_missing(text) => self.missing += 1,
            FileCell::Number(number) => {
                self.values += 1;
                self.numbers = self.numbers.map(|count| count + 1);
                self.keep(&number.to_string());
            }
            FileCell::Date(seconds) => {
                self.values += 1;
                self.dates = self.dates.map(|count| count + 1);
                self.clock |= seconds % 86_400.0 != 0.0;
                self.typed = true;
            }
            FileCell::Text(text) => {
                self.values += 1;
                for (count, decimal) in self.numbers.iter_mut().zip([Decimal::Point, Decimal::Comma]) {
                    *count += u64::from(parse(text, decimal).is_some());
                }
                let [point, comma] = [Decimal::Point, Decimal::Comma].map(|sign| parse(text, sign).is_some());
                self.disguised |= [Decimal::Point, Decimal::Comma].iter().any(|sign| disguised(text, *sign).is_some());
                let groups = text.rsplit(|&byte| byte == b',').next().is_some_and(|rest| rest.trim_ascii().len() == 3);
                self.commas += i64::from(comma && !point && !groups) - i64::from(point && !comma);
                for (count, order) in self.dates.iter_mut().zip([DateOrder::DayFirst, DateOrder::MonthFirst]) {
                    let date = parse_date(text, order);
                    *count += u64::from(date.is_some());
                    self.clock |= date.is_some() && text.contains(&b':');
                }
                self.keep(&decoded(beginning(text, LONGEST)));
            }
        }
    }

    fn keep(&mut self, word: &str) {
        if self.words.len() < MOST_WORDS && !self.words.contains(word.trim()) {
            self.words.insert(word.trim().to_owned());
        }
    }

    /// How many more values are numbers only with a decimal comma than only with a decimal point.
    pub(crate) fn prefers_comma(&self) -> i64 {
        self.commas
    }

    /// Whether at least half of the values are numbers. A column without values counts too.
    pub(crate) fn is_number(&self, decimal: Decimal) -> bool {
        2 * self.numbers[usize::from(decimal == Decimal::Comma)] >= self.values
    }

    /// Whether there is any value.
    pub(crate) fn has_values(&self) -> bool {
        self.values > 0
    }

    /// Whether a number is written for people, as 1,234,567, $5, 12% or 13:45.
    pub(crate) fn is_disguised(&self) -> bool {
        self.disguised
    }

    /// The distinct words.
    pub(crate) fn words(&self) -> Vec<String> {
        self.words.iter().cloned().collect()
    }

    /// Whether so many values differ that they name the rows rather than classes of them.
    pub(crate) fn names_rows(&self) -> bool {
        self.values >= 50 && self.words.len() as u64 * 10 > self.values * 9
    }

    /// What the column `name` holds. `whole` says that the sample is more than one row, and `exact` that the number of its
    /// distinct values says how many columns they need; else there is room for as many as the limit allows. Where first cells
    /// decide, the sample is one row.
    pub(crate) fn kind(
        &self,
        name: &str,
        encoding: &ColumnEncoding,
        decimal: Decimal,
        whole: bool,
        exact: bool,
    ) -> RecognisedKind {
        let named = |columns: &[String]| columns.iter().any(|column| column.trim() == name);
        // Day first where both fit.
        let month_first = encoding.month_first || self.dates[1] > self.dates[0];
        let dates = self.dates[usize::from(month_first)];
        let order = if month_first { DateOrder::MonthFirst } else { DateOrder::DayFirst };
        let unknown = if encoding.first_cell { self.typed || self.values == 0 } else { !whole };
        let date = || RecognisedKind::Date(order, self.clock || unknown);
        let category = || {
            let limit = encoding.limit();
            let exact = whole && exact && encoding.category_as == CategoryAs::OneHot;
            RecognisedKind::Category(if exact { limit.min(self.words.len() + 1) } else { limit })
        };
        if named(&encoding.numbers) {
            RecognisedKind::Number
        } else if named(&encoding.categories) {
            category()
        } else if named(&encoding.dates) {
            date()
        } else if encoding.first_cell && self.values == 0 && encoding.missing != MissingValues::Keep {
            RecognisedKind::Later
        } else if !encoding.recognise || self.is_number(decimal) {
            RecognisedKind::Number
        } else if 2 * dates > self.values {
            date()
        } else {
            category()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(texts: &[&str]) -> RecognisedKind {
        let mut sample = ColumnSample::default();
        texts.iter().for_each(|text| sample.add(FileCell::Text(text.as_bytes())));
        sample.kind("x", &ColumnEncoding::recognising(), Decimal::Point, true, true)
    }

    #[test]
    fn most_values_decide() {
        assert_eq!(kind(&["1", "2.5", "NA", ""]), RecognisedKind::Number);
        assert_eq!(kind(&["NA", ""]), RecognisedKind::Number);
        assert_eq!(kind(&["1", "2", "three"]), RecognisedKind::Number);
        assert_eq!(kind(&["a", "b", "a", "7"]), RecognisedKind::Category(4));
        assert_eq!(kind(&["2024-01-31", "2024-02-01"]), RecognisedKind::Date(DateOrder::DayFirst, false));
        assert_eq!(kind(&["2024-01-31 10:00"]), RecognisedKind::Date(DateOrder::DayFirst, true));
        assert_eq!(kind(&["01/02/2024", "02/28/2024"]), RecognisedKind::Date(DateOrder::MonthFirst, false));
        assert_eq!(kind(&["01/02/2024", "28/02/2024"]), RecognisedKind::Date(DateOrder::DayFirst, false));
        let many: Vec<String> = (0..100).map(|i| format!("w{i}")).collect();
        assert_eq!(kind(&many.iter().map(String::as_str).collect::<Vec<_>>()), RecognisedKind::Category(16));
    }

    #[test]
    fn commas_that_may_group_digits_are_no_decimal_signs() {
        let prefers = |texts: &[&str]| {
            let mut sample = ColumnSample::default();
            texts.iter().for_each(|text| sample.add(FileCell::Text(text.as_bytes())));
            sample.prefers_comma() > 0
        };
        assert!(prefers(&["1,5", "2", "3,25"]));
        assert!(!prefers(&["1,500", "2,125"]) && !prefers(&["1.5", "2"]) && !prefers(&["1.5", "2.5", "3,5"]));
    }

    /// What the first cell is the column is; an empty one is of no kind yet, unless somebody says which.
    #[test]
    fn one_cell_decides_where_first_cells_do() {
        let encoding = ColumnEncoding { first_cell: true, numbers: vec!["n".into()], ..ColumnEncoding::recognising() };
        let kind = |name: &str, text: &str| {
            let mut sample = ColumnSample::default();
            sample.add(FileCell::Text(text.as_bytes()));
            sample.kind(name, &encoding, Decimal::Point, false, false)
        };
        assert_eq!([kind("x", "$5"), kind("n", "five"), kind("n", "")], [RecognisedKind::Number; 3]);
        assert_eq!(kind("x", "five"), RecognisedKind::Category(16));
        assert_eq!(kind("x", "NA"), RecognisedKind::Later);
        assert_eq!(kind("x", "2024-01-31 00:00"), RecognisedKind::Date(DateOrder::DayFirst, true));
        assert_eq!(kind("x", "02/28/2024"), RecognisedKind::Date(DateOrder::MonthFirst, false));
        let named = ColumnEncoding { dates: vec!["x".into()], ..encoding.clone() };
        assert_eq!(
            ColumnSample::default().kind("x", &named, Decimal::Point, false, false),
            RecognisedKind::Date(DateOrder::DayFirst, true)
        );
        // In a file with types, midnight is a time of day.
        let mut typed = ColumnSample::default();
        typed.add(FileCell::Date(86_400.0));
        assert_eq!(
            typed.kind("x", &encoding, Decimal::Point, false, false),
            RecognisedKind::Date(DateOrder::DayFirst, true)
        );
    }

    #[test]
    fn names_decide_before_values() {
        let encoding = ColumnEncoding { categories: vec!["x".into()], ..ColumnEncoding::default() };
        let mut sample = ColumnSample::default();
        ["1", "2", "1"].iter().for_each(|text| sample.add(FileCell::Text(text.as_bytes())));
        assert_eq!(sample.kind("x", &encoding, Decimal::Point, true, true), RecognisedKind::Category(3));
        assert_eq!(sample.kind("x", &encoding, Decimal::Point, false, true), RecognisedKind::Category(16));
        assert_eq!(sample.kind("x", &encoding, Decimal::Point, true, false), RecognisedKind::Category(16));
        assert_eq!(sample.kind("y", &encoding, Decimal::Point, true, true), RecognisedKind::Number);
    }
}
