//! Views: a row as numbers on causal scales, with or without past targets, with or without small whole numbers and words as
//! categories.

use std::collections::BTreeMap;

use crate::epoch::Moments;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::{State, StateError, Store};

/// The most different values of a column of whole numbers that counts as one of categories, and the fewest.
const WHOLE: std::ops::RangeInclusive<usize> = 3..=32;

/// The most words of a column that have an indicator each: those seen most often.
const WORDS: usize = 64;

/// What a column of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A number.
    Number,
    /// The number of a word: 0, 1, 2, ..., in the order in which words appeared.
    Words,
    /// A number whose scale has a meaning, such as a part of a circle: it is only centred.
    Part,
}

/// What a view shows of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewKind {
    /// Whether past targets are among its numbers.
    pub past: bool,
    /// Whether columns of categories are indicators.
    pub categories: bool,
}

/// The number of columns of past targets.
pub const PAST: usize = 3;

/// The last target, and exponential means of the targets with memories 8 and 64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PastTargets(pub [f64; PAST]);

impl Default for PastTargets {
    /// Before the first target.
    fn default() -> Self {
        Self([f64::NAN; PAST])
    }
}

impl PastTargets {
    /// Whether there was a target.
    pub(crate) fn is_known(&self) -> bool {
        !self.0[0].is_nan()
    }

    /// Takes in a target.
    pub(crate) fn learn(&mut self, y: f64) {
        let [last, short, long] = &mut self.0;
        if last.is_nan() {
            (*short, *long) = (y, y);
        }
        *last = y;
        *short += (y - *short) / 8.0;
        *long += (y - *long) / 64.0;
    }
}

/// A number of a view.
#[derive(Clone, Copy, Debug)]
enum ViewNumber {
    /// A column on the scale of the epoch.
    Scaled(usize, Moments),
    /// A column of zeros and ones, less its mean.
    Centred(usize, f64),
    /// Whether a column has this value, less how often it had.
    Indicator(usize, f64, f64),
}

/// A view in an epoch: which numbers it makes of a row and its past targets.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    parts: Vec<ViewNumber>,
}

impl View {
    /// The view of the rows before an epoch; each has the columns, then the past targets. None where it is the same as
    /// another one: a view of categories without such columns. Rows without past targets do not count for a view of these.
    pub(crate) fn of(kind: ViewKind, columns: &[ColumnKind], rows: Rows<'_>) -> Option<Self> {
        let d = columns.len();
        let known = move |row: &&[f64]| !kind.past || !row[d].is_nan();
        let values = |j: usize| rows.iter().filter(known).map(move |row| row[j]);
        let count = values(0).count() as f64;
        let mut parts = Vec::new();
        let mut categorical = false;
        for (j, column) in columns.iter().enumerate() {
            let scaled = || ViewNumber::Scaled(j, Moments::of(|| values(j)));
            if *column == ColumnKind::Part {
                parts.push(ViewNumber::Centred(j, Moments::of(|| values(j)).mean));
                continue;
            }
            if !kind.categories {
                if *column == ColumnKind::Number {
                    parts.push(scaled());
                }
                continue;
            }
            match categories(*column, values(j)) {
                None => parts.push(scaled()),
                Some(Categories::Binary) => parts.push(ViewNumber::Centred(j, Moments::of(|| values(j)).mean)),
                Some(Categories::Several(seen)) => {
                    categorical = true;
                    parts.extend(
                        seen.into_iter().map(|(value, times)| ViewNumber::Indicator(j, value, times as f64 / count)),
                    );
                }
            }
        }
        if kind.past {
            parts.extend((d..d + PAST).map(|j| ViewNumber::Scaled(j, Moments::of(|| values(j)))));
        }
        let there = count > 0.0 && !parts.is_empty() && (categorical || !kind.categories);
        there.then_some(Self { parts })
    }

    /// The view of the rows before an epoch, as [`of`](View::of): without categories where there are none.
    pub(crate) fn of_any(kind: ViewKind, columns: &[ColumnKind], rows: Rows<'_>) -> Option<Self> {
        Self::of(kind, columns, rows).or_else(|| Self::of(ViewKind { categories: false, ..kind }, columns, rows))
    }

    /// The number of numbers.
    pub(crate) fn width(&self) -> usize {
        self.parts.len()
    }

    /// Appends the view of a row with its past targets.
    pub(crate) fn write(&self, row: &[f64], out: &mut Vec<f64>) {
        out.extend(self.parts.iter().map(|part| match *part {
            ViewNumber::Scaled(j, moments) => moments.scale(row[j]),
            ViewNumber::Centred(j, mean) => row[j] - mean,
            ViewNumber::Indicator(j, value, mean) => f64::from(row[j] == value) - mean,
        }));
    }

    /// Whether more than `share` of rows are clipped in one of their first `columns` columns.
    pub(crate) fn clips(&self, rows: Rows<'_>, columns: usize, share: f64) -> bool {
        let often = |part: &ViewNumber| match *part {
            ViewNumber::Scaled(j, moments) if j < columns => {
                let count = rows.iter().filter(|row| moments.clips(row[j])).count();
                count as f64 > share * rows.rows() as f64
            }
            _ => false,
        };
        self.parts.iter().any(often)
    }

    /// The views of rows.
    pub(crate) fn all(&self, rows: Rows<'_>) -> Matrix {
        let mut data = Vec::with_capacity(rows.rows() * self.width());
        rows.iter().for_each(|row| self.write(row, &mut data));
        Matrix::from_data(rows.rows(), self.width(), data).unwrap_or_else(|| Matrix::with_width(self.width()))
    }
}

/// A row of four numbers for each part: 0, column, mean, deviation; 1, column, mean, 0; or 2, column, value, mean.
impl State for View {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut parts = Matrix::with_width(4);
        self.parts.iter().for_each(|part| match *part {
            ViewNumber::Scaled(j, Moments { mean, deviation }) => parts.push_row(&[0.0, j as f64, mean, deviation]),
            ViewNumber::Centred(j, mean) => parts.push_row(&[1.0, j as f64, mean, 0.0]),
            ViewNumber::Indicator(j, value, mean) => parts.push_row(&[2.0, j as f64, value, mean]),
        });
        store.keep("parts", &mut parts)?;
        self.parts = parts
            .view()
            .iter()
            .map(|row| {
                let j = row[1] as usize;
                match row[0] as u64 {
                    0 => ViewNumber::Scaled(j, Moments { mean: row[2], deviation: row[3] }),
                    1 => ViewNumber::Centred(j, row[2]),
                    _ => ViewNumber::Indicator(j, row[2], row[3]),
                }
            })
            .collect();
        Ok(())
    }
}

impl View {
    /// Whether all its columns are among the first `columns`.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        self.parts.iter().all(|part| match part {
            ViewNumber::Scaled(j, _) | ViewNumber::Centred(j, _) | ViewNumber::Indicator(j, ..) => *j < columns,
        })
    }
}

/// What a learner over epochs is shown instead of the columns of a row.
pub(crate) struct EpochView {
    kind: ViewKind,
    columns: Vec<ColumnKind>,
    past: PastTargets,
    /// Those that the next row is shown instead, which is learnt late.
    instead: Option<PastTargets>,
    /// The view of this epoch; none before the first one, or where nothing is to be seen.
    view: Option<View>,
}

impl EpochView {
    /// Views of rows with these columns, before the first epoch.
    pub(crate) fn new(kind: ViewKind, columns: Vec<ColumnKind>) -> Self {
        Self { kind, columns, past: PastTargets::default(), instead: None, view: None }
    }

    /// The width of a row with its past targets.
    pub(crate) fn wide(&self) -> usize {
        self.columns.len() + if self.kind.past { PAST } else { 0 }
    }

    /// The number of numbers of a row as it is shown.
    pub(crate) fn width(&self) -> usize {
        self.view.as_ref().map_or(self.columns.len(), View::width)
    }

    /// Appends a row of columns with its past targets.
    pub(crate) fn widen(&self, x: &[f64], out: &mut Vec<f64>) {
        out.extend_from_slice(x);
        if self.kind.past {
            out.extend_from_slice(&self.instead.unwrap_or(self.past).0);
        }
    }

    /// The past targets that a row is shown, where they are.
    pub(crate) fn past(&self) -> Option<PastTargets> {
        Some(self.past).filter(|_| self.kind.past)
    }

    /// Shows the next row the past targets that were known when it was predicted, if any were.
    pub(crate) fn show_instead(&mut self, past: PastTargets) {
        self.instead = Some(past).filter(PastTargets::is_known);
    }

    /// Takes in the target of the row that was shown.
    pub(crate) fn learn(&mut self, y: f64) {
        self.instead = None;
        self.past.learn(y);
    }

    /// How many rows at the beginning of these have no past targets, so that they cannot be shown.
    pub(crate) fn blind(&self, rows: Rows<'_>) -> usize {
        let unknown = |row: &&[f64]| self.kind.past && row[self.columns.len()].is_nan();
        rows.iter().take_while(unknown).count()
    }

    /// Fixes the view of the epoch after these rows; `centred` says which columns are only centred.
    pub(crate) fn begin(&mut self, rows: Rows<'_>, centred: &[bool]) {
        let part = |(column, centred): (&ColumnKind, &bool)| match (column, centred) {
            (ColumnKind::Number, true) => ColumnKind::Part,
            _ => *column,
        };
        let columns: Vec<ColumnKind> = self.columns.iter().zip(centred).map(part).collect();
        self.view = View::of_any(self.kind, &columns, rows);
    }

    /// Rows with their past targets as they are shown: zeros where nothing is to be seen.
    pub(crate) fn show(&self, rows: Rows<'_>) -> Vec<f64> {
        let mut out = Vec::with_capacity(rows.rows() * self.width());
        match &self.view {
            Some(view) => rows.iter().for_each(|row| view.write(row, &mut out)),
            None => out.resize(rows.rows() * self.width(), 0.0),
        }
        out
    }
}

impl State for EpochView {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { kind: _, columns, past, instead: _, view } = self;
        // Which columns hold words is known only where the file is read.
        let mut words: Vec<bool> = columns.iter().map(|column| *column == ColumnKind::Words).collect();
        store.keep("words", &mut words)?;
        store.check(words.len() == columns.len(), "has another number of columns")?;
        columns.iter_mut().zip(words).filter(|(_, words)| *words).for_each(|(column, _)| *column = ColumnKind::Words);
        store.keep("past", &mut past.0[..])?;
        let mut there = view.is_some();
        store.keep("in_epoch", &mut there)?;
        *view = view.take().filter(|_| there).or_else(|| there.then(View::default));
        if let Some(view) = view {
            store.keep("view", view)?;
        }
        let wide = self.wide();
        store.check(self.view.as_ref().is_none_or(|view| view.fits(wide)), "names columns that are not there")
    }
}

/// The categories of a column.
enum Categories {
    /// 0 and 1.
    Binary,
    /// The values, with how often each was seen.
    Several(Vec<(f64, usize)>),
}

/// The categories of a column with these values; none where it is a quantity.
fn categories(column: ColumnKind, values: impl Iterator<Item = f64>) -> Option<Categories> {
    let mut seen: BTreeMap<i64, usize> = BTreeMap::new();
    let most = if column == ColumnKind::Words { usize::MAX } else { *WHOLE.end() };
    for value in values {
        // Beyond 2^53 not every whole number is a number of this kind.
        if value.fract() != 0.0 || value.abs() > 9e15 {
            return None;
        }
        *seen.entry(value as i64).or_default() += 1;
        if seen.len() > most {
            return None;
        }
    }
    let whole = |seen: BTreeMap<i64, usize>| seen.into_iter().map(|(value, times)| (value as f64, times)).collect();
    if column == ColumnKind::Words {
        let mut seen: Vec<(f64, usize)> = whole(seen);
        seen.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
        seen.truncate(WORDS);
        return Some(Categories::Several(seen));
    }
    if seen.keys().all(|value| [0, 1].contains(value)) {
        return Some(Categories::Binary);
    }
    WHOLE.contains(&seen.len()).then(|| Categories::Several(whole(seen)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(past: bool, categories: bool, columns: &[ColumnKind], rows: &[f64]) -> Option<View> {
        View::of(ViewKind { past, categories }, columns, Rows::new(columns.len() + PAST, rows))
    }

    fn written(view: &View, row: &[f64]) -> Vec<f64> {
        let mut out = Vec::new();
        view.write(row, &mut out);
        out
    }

    const NAN: f64 = f64::NAN;

    /// A number, zeros and ones, and whole numbers with three values: four rows, the first without past targets.
    const ROWS: [f64; 24] = [
        1.0, 0.0, 7.0, NAN, NAN, NAN, 3.0, 1.0, 8.0, 2.0, 2.0, 2.0, 1.0, 0.0, 9.0, 4.0, 3.0, 3.0, 3.5, 0.0, 9.0, 6.0,
        5.0, 4.0,
    ];

    #[test]
    fn what_each_view_shows() {
        let columns = [ColumnKind::Number; 3];
        let plain = view(false, false, &columns, &ROWS).unwrap();
        assert_eq!(plain.width(), 3);
        let all = written(&plain, &[1.0, 0.0, 7.0, NAN, NAN, NAN]);
        assert!(all.iter().all(|z| z.is_finite() && *z < 0.0), "all below their means: {all:?}");
        // The first row does not count where past targets do: the last targets are 2, 4 and 6, so that 4 is 0.
        let past = view(true, false, &columns, &ROWS).unwrap();
        assert_eq!(written(&past, &[3.0, 0.0, 8.0, 4.0, 4.0, 4.0])[3], 0.0);
        // 3.0 is no whole number in a column with 3.5; 7, 8, 9 are categories, seen 1, 1 and 2 times of 4.
        let categories = view(false, true, &columns, &ROWS).unwrap();
        let row = written(&categories, &[3.0, 1.0, 9.0, NAN, NAN, NAN]);
        assert_eq!(row[1..], [0.75, -0.25, -0.25, 0.5]);
        // A category that was not seen is none of them.
        assert_eq!(written(&categories, &[3.0, 1.0, 5.0, NAN, NAN, NAN])[2..], [-0.25, -0.25, -0.5]);
        // Without columns of categories there is no such view.
        assert!(view(false, true, &columns[..2], &[1.0, 0.0, NAN, NAN, NAN, 2.5, 1.0, 1.0, 1.0, 1.0]).is_none());
    }

    #[test]
    fn words_are_categories_only() {
        let columns = [ColumnKind::Words, ColumnKind::Number];
        let rows: Vec<f64> = (0..4).flat_map(|i| [f64::from(i % 2), f64::from(i) + 0.5, 0.0, 0.0, 0.0]).collect();
        assert_eq!(view(false, false, &columns, &rows).unwrap().width(), 1);
        assert_eq!(view(false, true, &columns, &rows).unwrap().width(), 3);
    }

    #[test]
    fn parts_are_only_centred_and_views_without_categories_show_the_rest() {
        let columns = [ColumnKind::Part, ColumnKind::Number];
        let rows = [0.0, 1.5, NAN, NAN, NAN, 1.0, 2.5, 4.0, 4.0, 4.0];
        let kind = ViewKind { past: false, categories: true };
        assert!(view(false, true, &columns, &rows).is_none());
        let seen = View::of_any(kind, &columns, Rows::new(5, &rows)).unwrap();
        assert_eq!(written(&seen, &rows[..5]), [-0.5, -1.0]);
        let mut shown = EpochView::new(ViewKind { past: true, categories: true }, columns.to_vec());
        assert_eq!((shown.wide(), shown.width(), shown.blind(Rows::new(5, &rows))), (5, 2, 1));
        assert_eq!(shown.show(Rows::new(5, &rows)), [0.0; 4]);
        shown.begin(Rows::new(5, &rows), &[true, false]);
        assert_eq!((shown.width(), shown.show(Rows::new(5, &rows[5..]))), (5, vec![0.0; 5]));
    }

    #[test]
    fn clipped_rows_are_counted() {
        let columns = [ColumnKind::Number];
        let rows: Vec<f64> = (0..20).flat_map(|i| [f64::from(i % 2), NAN, NAN, NAN]).collect();
        let plain = view(false, false, &columns, &rows).unwrap();
        let later: Vec<f64> = (0..20).flat_map(|i| [if i < 2 { 99.0 } else { 0.0 }, NAN, NAN, NAN]).collect();
        assert!(plain.clips(Rows::new(4, &later), 1, 0.05) && !plain.clips(Rows::new(4, &later), 1, 0.1));
    }

    #[test]
    fn past_targets_are_exponential_means() {
        let mut past = PastTargets::default();
        past.learn(8.0);
        assert_eq!(past.0, [8.0; 3]);
        past.learn(16.0);
        assert_eq!(past.0, [16.0, 9.0, 8.125]);
    }
}
