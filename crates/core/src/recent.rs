//! The newest rows of a stream, in bounded memory.

use crate::epoch::{Moments, Standard};
use noregret_numeric::state::{State, StateError, Store, keep};

/// The newest rows.
pub(crate) struct Recent {
    /// Numbers of a row.
    pub dim: usize,
    /// The most rows that are kept.
    pub(crate) most: usize,
    /// Where the oldest row is, once there are as many as may be.
    oldest: usize,
    /// Rows, one after the other.
    pub inputs: Vec<f64>,
    /// Their targets.
    pub targets: Vec<f64>,
    /// Their weights; empty where all are 1.
    pub weights: Vec<f64>,
}

impl Recent {
    /// Room for at most `most` rows of `dim` numbers.
    pub(crate) fn new(dim: usize, most: usize) -> Self {
        Self { dim, most, oldest: 0, inputs: Vec::new(), targets: Vec::new(), weights: Vec::new() }
    }

    /// Adds a row, in the place of the oldest one where there is no room.
    pub(crate) fn push(&mut self, x: &[f64], y: f64, weight: f64) {
        if weight != 1.0 && self.weights.is_empty() {
            self.weights.resize(self.targets.len(), 1.0);
        }
        let weighted = weight != 1.0 || !self.weights.is_empty();
        if self.targets.len() < self.most {
            self.inputs.extend_from_slice(x);
            self.targets.push(y);
            self.weights.extend(weighted.then_some(weight));
            return;
        }
        self.inputs[self.oldest * self.dim..][..self.dim].copy_from_slice(x);
        self.targets[self.oldest] = y;
        if weighted {
            self.weights[self.oldest] = weight;
        }
        self.oldest = (self.oldest + 1) % self.most;
    }

    /// The inputs of the row before the newest `age` ones; `age` is below the number of rows.
    pub(crate) fn before(&self, age: usize) -> &[f64] {
        let count = self.targets.len();
        let at = (self.oldest + count - 1 - age) % count;
        &self.inputs[at * self.dim..][..self.dim]
    }

    /// Rows, the oldest of which is first.
    pub(crate) fn rows(&self, from: usize, count: usize) -> &[f64] {
        &self.inputs[from * self.dim..(from + count) * self.dim]
    }

    /// Puts the oldest row first.
    pub(crate) fn straighten(&mut self) {
        self.inputs.rotate_left(self.oldest * self.dim);
        self.targets.rotate_left(self.oldest);
        if !self.weights.is_empty() {
            self.weights.rotate_left(self.oldest);
        }
        self.oldest = 0;
    }

    /// Bytes of the rows.
    pub(crate) fn bytes(&self) -> u64 {
        8 * (self.inputs.len() + self.targets.len() + self.weights.len()) as u64
    }
}

impl State for Recent {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.straighten();
        let (dim, most) = (self.dim, self.most);
        store.keep_some("weights", &mut !self.weights.is_empty(), &mut self.weights)?;
        keep!(self, store: inputs, targets; dim, most, oldest, weights);
        let fits = targets.len() <= most && inputs.len() == dim * targets.len();
        store.check(fits, "has rows that are too many, or not as wide as this learner's")?;
        let weights = self.weights.len();
        store.check(weights == 0 || weights == self.targets.len(), "has weights of another number of rows")
    }
}

/// Of how many recent rows it is counted how many were clipped.
const RECENT: usize = 1_000;

/// One row in so many that is clipped is too much.
const TOLERATED: usize = 20;

/// How many of the rows are recent.
fn window(rows: &Recent) -> usize {
    RECENT.min(rows.most / 2)
}

/// How many of the newest rows lie outside of a scale, column by column.
pub(crate) struct Outside(Vec<usize>);

impl Outside {
    /// None, in so many columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self(vec![0; columns])
    }

    /// Takes the newest row into the count, the `now`-th of an epoch, and one that is no longer recent out of it; whether too many
    /// are left in some column.
    pub(crate) fn slide(&mut self, rows: &Recent, scale: &Standard, now: u64) -> bool {
        let window = window(rows);
        self.count(rows, scale, 0, true);
        if now > window as u64 {
            self.count(rows, scale, window, false);
        }
        self.0.iter().any(|count| count * TOLERATED > window)
    }

    /// Counts those of the `newest` rows that are recent, as [`slide`](Outside::slide) has.
    pub(crate) fn recount(&mut self, rows: &Recent, scale: &Standard, newest: u64) {
        let recent = newest.min(window(rows) as u64) as usize;
        (0..recent).for_each(|age| self.count(rows, scale, age, true));
    }

    /// Counts the row of this age, or takes it out of the count.
    fn count(&mut self, rows: &Recent, scale: &Standard, age: usize, one_more: bool) {
        for (j, (count, value)) in self.0.iter_mut().zip(rows.before(age)).enumerate() {
            if is_strange(scale.column(j), *value) {
                *count = if one_more { *count + 1 } else { count.saturating_sub(1) };
            }
        }
    }

    /// Begins anew.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// Whether a value lies so far outside that the scale says nothing of it: it is clipped, or it has moved in a column that
/// was constant before the epoch.
fn is_strange(scale: Moments, value: f64) -> bool {
    scale.clips(value) || (scale.deviation == 0.0 && value != scale.mean)
}
