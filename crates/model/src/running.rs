//! Scaling by what was seen so far.

use serde::{Deserialize, Serialize};

use noregret_numeric::state::{State, StateError, Store};

/// The mean and the deviation of the values so far (Welford's recursion).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Running {
    count: u64,
    mean: f64,
    /// Sum of the squared differences from the mean.
    squares: f64,
}

impl Running {
    /// Adds a value.
    pub fn observe(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// The mean of the values so far, 0 if there are none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The root of the mean squared difference from the mean, or 1 where that is 0 or not finite.
    pub fn deviation(&self) -> f64 {
        let deviation = (self.squares / self.count.max(1) as f64).sqrt();
        if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 }
    }

    /// Whether two values differed.
    pub fn spreads(&self) -> bool {
        self.squares > 0.0
    }

    /// (x - mean) / deviation, which is 0 as long as all values were equal to x.
    pub(crate) fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.deviation()
    }
}

impl State for Running {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { count, mean, squares } = self;
        store.keep("count", count)?;
        store.keep("mean", mean)?;
        store.keep("squares", squares)
    }
}

/// Whether a column holds a quantity, whose scale is arbitrary, rather than a part of a category, a date or a missing
/// value: by its name, `NAME#1`, `NAME#others`, `NAME#hash1`, `NAME#missing` or `NAME.year_sin` and the like, as
/// encoders name columns.
pub fn is_quantity(name: &str) -> bool {
    let slot = |part: &str| {
        let part = part.strip_prefix("hash").unwrap_or(part);
        part == "others" || part == "missing" || (!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let circle = |part: &str| {
        let part = part.strip_suffix("_sin").or_else(|| part.strip_suffix("_cos"));
        part.is_some_and(|part| ["year", "week", "day"].contains(&part))
    };
    !name.rsplit_once('#').is_some_and(|(_, part)| slot(part))
        && !name.rsplit_once('.').is_some_and(|(_, part)| circle(part))
}

/// Scales each column by its mean and deviation up to and including the row: the input of a round is known before its
/// prediction, that of later rounds is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunningScaler {
    /// For each column; None for columns that are left as they are.
    columns: Vec<Option<Running>>,
}

impl RunningScaler {
    /// A scaler of the columns that hold quantities, which has seen no row.
    pub fn new(quantities: &[bool]) -> Self {
        Self { columns: quantities.iter().map(|quantity| quantity.then(Running::default)).collect() }
    }

    /// Scales rows in place as if each were the next one, and observes none of them.
    pub(crate) fn apply_each(&self, rows: &mut [f64]) {
        for row in rows.chunks_exact_mut(self.columns.len().max(1)) {
            for (column, value) in self.columns.iter().zip(row) {
                if let Some(mut running) = *column {
                    running.observe(*value);
                    *value = running.apply(*value);
                }
            }
        }
    }

    /// Observes and scales one or more rows (row-major) in place, one after the other.
    pub fn apply(&mut self, rows: &mut [f64]) {
        for row in rows.chunks_exact_mut(self.columns.len().max(1)) {
            for (column, value) in self.columns.iter_mut().zip(row) {
                if let Some(running) = column {
                    running.observe(*value);
                    *value = running.apply(*value);
                }
            }
        }
    }
}

/// What was seen of each column; columns that are left as they are hold zeros.
impl State for RunningScaler {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let all: Vec<Running> = self.columns.iter().map(|column| column.unwrap_or_default()).collect();
        let mut counts: Vec<f64> = all.iter().map(|running| running.count as f64).collect();
        let [mut means, mut squares]: [Vec<f64>; 2] =
            [|running: &Running| running.mean, |running: &Running| running.squares]
                .map(|of| all.iter().map(of).collect());
        store.keep("counts", &mut counts[..])?;
        store.keep("means", &mut means[..])?;
        store.keep("squares", &mut squares[..])?;
        let values = counts.into_iter().zip(means.into_iter().zip(squares));
        for (column, (count, (mean, squares))) in self.columns.iter_mut().zip(values) {
            *column = column.map(|_| Running { count: count as u64, mean, squares });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_scaled_by_itself_and_earlier_rows() {
        let mut scaler = RunningScaler::new(&[true, false]);
        let mut rows = [5.0, 1.0, 7.0, 2.0, 6.0, 3.0];
        scaler.apply(&mut rows);
        // Means 5, 6, 6; deviations none, 1, root of 2/3.
        assert_eq!(rows, [0.0, 1.0, 1.0, 2.0, 0.0, 3.0]);
        let mut again = RunningScaler::new(&[true, false]);
        let mut first = [5.0, 1.0];
        again.apply(&mut first);
        assert_eq!(first, rows[..2], "what follows does not count");
    }

    #[test]
    fn parts_of_categories_and_dates_are_no_quantities() {
        for name in ["a", "a.days", "a#x", "a#", "price.usd", "year_sin"] {
            assert!(is_quantity(name), "{name}");
        }
        for name in ["a#1", "a#others", "a#hash3", "a#missing", "when.year_sin", "when.day_cos"] {
            assert!(!is_quantity(name), "{name}");
        }
    }

    #[test]
    fn deviations_agree_with_two_passes() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i * 7919 % 1000).sin() * 3.0 + 1e6).collect();
        let mut running = Running::default();
        values.iter().for_each(|&value| running.observe(value));
        let mean = values.iter().sum::<f64>() / 1000.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 1000.0;
        assert!((running.mean() - mean).abs() < 1e-6 && (running.deviation() - variance.sqrt()).abs() < 1e-6);
    }
}
