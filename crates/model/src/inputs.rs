//! Scales of inputs.

use noregret_numeric::state::{State, StateError, Store};

use crate::running::RunningScaler;

/// What the range of each column is mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// [0, 1]: (x - min) / (max - min). A constant column becomes 0.
    Unit,
    /// [-1, 1]: 2 (x - min) / (max - min) - 1. A constant column becomes 0.
    Symmetric,
}

/// Minima and maxima of the input columns, and the scaling that they define.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaler {
    bounds: Bounds,
    ranges: Vec<ColumnRange>,
}

impl Scaler {
    /// A scaler for `width` columns that has not observed any row.
    pub fn new(bounds: Bounds, width: usize) -> Self {
        Self { bounds, ranges: vec![ColumnRange::EMPTY; width] }
    }

    /// Observes rows (row-major, finite): extends the ranges of the columns.
    pub fn observe(&mut self, inputs: &[f64]) {
        for row in inputs.chunks_exact(self.ranges.len().max(1)) {
            for (range, &value) in self.ranges.iter_mut().zip(row) {
                range.observe(value);
            }
        }
    }

    /// Scales one or more rows (row-major) in place. Observed rows end up within the bounds; others may lie outside.
    pub fn apply(&self, rows: &mut [f64]) {
        let map: fn(&ColumnRange, f64) -> f64 = match self.bounds {
            Bounds::Unit => ColumnRange::unit,
            Bounds::Symmetric => ColumnRange::symmetric,
        };
        for row in rows.chunks_exact_mut(self.ranges.len().max(1)) {
            for (range, value) in self.ranges.iter().zip(row) {
                *value = map(range, *value);
            }
        }
    }
}

/// The ranges of the columns.
impl State for Scaler {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let [mut smallest, mut largest]: [Vec<f64>; 2] =
            [|range: &ColumnRange| range.min, |range: &ColumnRange| range.max]
                .map(|of| self.ranges.iter().map(of).collect());
        store.keep("smallest", &mut smallest[..])?;
        store.keep("largest", &mut largest[..])?;
        self.ranges = smallest.into_iter().zip(largest).map(|(min, max)| ColumnRange { min, max }).collect();
        Ok(())
    }
}

/// The range of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnRange {
    min: f64,
    max: f64,
}

impl ColumnRange {
    /// The range of no values.
    const EMPTY: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn observe(&mut self, value: f64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// The range of some values.
    pub fn of(values: &[f64]) -> Self {
        let mut range = Self::EMPTY;
        values.iter().for_each(|&value| range.observe(value));
        range
    }

    /// Whether it holds at most one value.
    pub fn is_constant(&self) -> bool {
        self.min >= self.max
    }

    /// (x - min) / (max - min); 0 if the column is constant.
    pub fn unit(&self, value: f64) -> f64 {
        if self.is_constant() {
            return 0.0;
        }
        let span = self.max - self.min;
        if span.is_finite() {
            (value - self.min) / span
        } else {
            // Halves do not overflow.
            (0.5 * value - 0.5 * self.min) / (0.5 * self.max - 0.5 * self.min)
        }
    }

    /// 2 (x - min) / (max - min) - 1; 0 if the column is constant.
    pub fn symmetric(&self, value: f64) -> f64 {
        if self.is_constant() { 0.0 } else { 2.0 * self.unit(value) - 1.0 }
    }
}

/// How the inputs of a run are scaled.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scaling {
    /// They are as they are.
    #[default]
    None,
    /// By the whole file.
    Whole(Scaler),
    /// By the rows so far.
    Running(RunningScaler),
}

impl Scaling {
    /// Scales the rows of rounds (row-major) in place, and learns from each before the next.
    pub fn apply(&mut self, rows: &mut [f64]) {
        match self {
            Scaling::Running(scaler) => scaler.apply(rows),
            _ => self.apply_each(rows),
        }
    }

    /// Scales rows in place as if each were that of the next round, and learns nothing from them.
    pub fn apply_each(&self, rows: &mut [f64]) {
        match self {
            Scaling::None => {}
            Scaling::Whole(scaler) => scaler.apply(rows),
            Scaling::Running(scaler) => scaler.apply_each(rows),
        }
    }
}

/// What was seen of the inputs.
impl State for Scaling {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        match self {
            Scaling::None => Ok(()),
            Scaling::Whole(scaler) => scaler.state(store),
            Scaling::Running(scaler) => scaler.state(store),
        }
    }
}
