//! The scales of one epoch.

use crate::epoch::{Moments, Scales, Standard};
use crate::recent::Recent;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

/// How the learner of an epoch sees inputs and targets; as they are, where they have no scale.
pub(super) struct EpochScale {
    scales: Scales,
    /// Which columns are only centred: parts of categories and circles.
    parts: Vec<bool>,
    /// The scale of the inputs; no columns before the first epoch.
    pub(super) inputs: Standard,
    targets: Moments,
}

impl EpochScale {
    /// That of the rounds before the first epoch: inputs are 0, where they have a scale, and targets as they are.
    pub(super) fn new(scales: Scales, parts: Vec<bool>) -> Self {
        Self { scales, parts, inputs: Standard::default(), targets: Moments { mean: 0.0, deviation: 1.0 } }
    }

    pub(super) fn columns(&self) -> usize {
        self.parts.len()
    }

    /// Fixes the scales of these rows. Returns which columns are only centred, if inputs have a scale.
    pub(super) fn fit(&mut self, kept: &Recent) -> Option<Vec<bool>> {
        if self.scales.targets {
            let moments = Moments::of(|| kept.targets.iter().copied());
            let deviation = if moments.deviation > 0.0 { moments.deviation } else { 1.0 };
            self.targets = Moments { deviation, ..moments };
        }
        if !self.scales.inputs {
            return None;
        }
        let columns: Vec<f64>;
        let mut rows = Rows::new(kept.dim, &kept.inputs);
        if kept.dim != self.parts.len() {
            columns = rows.iter().flat_map(|row| &row[..self.parts.len()]).copied().collect();
            rows = Rows::new(self.parts.len(), &columns);
        }
        let scale = Standard::of(rows);
        // A column that has been constant may hold anything later.
        let varies = |j: usize| scale.column(j).deviation > 0.0;
        let bits = |j: usize| varies(j) && rows.iter().all(|row| row[j] == 0.0 || row[j] == 1.0);
        let centred: Vec<bool> = self.parts.iter().enumerate().map(|(j, part)| *part || bits(j)).collect();
        self.inputs = scale.centred(&centred);
        Some(centred)
    }

    /// Rows as the learner sees them.
    pub(super) fn rows(&self, rows: &[f64]) -> Vec<f64> {
        let mut rows = rows.to_vec();
        match (self.scales.inputs, self.inputs.columns()) {
            (false, _) => {}
            (true, 0) => rows.fill(0.0),
            (true, columns) => rows.chunks_exact_mut(columns).for_each(|row| self.inputs.apply(row)),
        }
        rows
    }

    /// A target as the learner sees it.
    pub(super) fn to(&self, target: f64) -> f64 {
        if self.scales.targets { (target - self.targets.mean) / self.targets.deviation } else { target }
    }

    /// What the learner says, in the units of the targets.
    pub(super) fn back(&self, value: f64) -> f64 {
        if self.scales.targets { self.targets.mean + self.targets.deviation * value } else { value }
    }

    /// What is added to a target of the learner, and what it is multiplied by, to have it in the units of the targets.
    pub(super) fn targets(&self) -> (f64, f64) {
        if self.scales.targets { (self.targets.mean, self.targets.deviation) } else { (0.0, 1.0) }
    }

    /// Keeps the scales in a saved model, or takes them from it.
    pub(super) fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { scales: _, parts, inputs, targets } = self;
        store.keep("inputs", inputs)?;
        let fits = inputs.columns() == 0 || inputs.columns() == parts.len();
        store.check(fits, "has scales of another number of columns")?;
        store.keep("target_mean", &mut targets.mean)?;
        store.keep("target_deviation", &mut targets.deviation)
    }
}
