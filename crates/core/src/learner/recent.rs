//! The newest rows of a stream, with their targets, in bounded memory.

use crate::state::{State, StateError, Store};

/// The most rows that are kept: 2^15.
pub const MOST_ROWS: usize = 1 << 15;

/// The most numbers that are kept, 64 MiB of them: rows of more than 255 inputs are fewer than [`MOST_ROWS`].
const MOST_NUMBERS: usize = 1 << 23;

/// The fewest rows that are kept, however wide they are.
const FEWEST_ROWS: usize = 32;

/// How many rows of `dim` inputs are kept.
pub fn most_rows(dim: usize) -> usize {
    MOST_ROWS.min((MOST_NUMBERS / (dim + 1)).max(FEWEST_ROWS))
}

/// The newest rows.
#[derive(Debug)]
pub struct Recent {
    /// The number of inputs.
    pub dim: usize,
    /// The most rows that are kept.
    pub most: usize,
    /// Where the oldest row is, once there are as many as may be.
    oldest: usize,
    /// The inputs, row after row, the oldest row first once they were [straightened](Recent::straighten).
    pub inputs: Vec<f64>,
    /// The targets in the same order.
    pub targets: Vec<f64>,
}

impl Recent {
    /// None of at most `most` rows of `dim` inputs.
    pub fn new(dim: usize, most: usize) -> Self {
        Self { dim, most, oldest: 0, inputs: Vec::new(), targets: Vec::new() }
    }

    /// Takes a row in, in the place of the oldest one where there are as many as may be.
    pub fn push(&mut self, x: &[f64], y: f64) {
        if self.targets.len() < self.most {
            self.inputs.extend_from_slice(x);
            self.targets.push(y);
            return;
        }
        self.inputs[self.oldest * self.dim..][..self.dim].copy_from_slice(x);
        self.targets[self.oldest] = y;
        self.oldest = (self.oldest + 1) % self.most;
    }

    /// The inputs of the row before the newest `age` ones; `age` is below the number of rows.
    pub fn before(&self, age: usize) -> &[f64] {
        let count = self.targets.len();
        let at = (self.oldest + count - 1 - age) % count;
        &self.inputs[at * self.dim..][..self.dim]
    }

    /// Puts the oldest row first.
    pub fn straighten(&mut self) {
        self.inputs.rotate_left(self.oldest * self.dim);
        self.targets.rotate_left(self.oldest);
        self.oldest = 0;
    }

    /// Bytes of the rows.
    pub fn bytes(&self) -> u64 {
        8 * (self.inputs.len() + self.targets.len()) as u64
    }
}

impl State for Recent {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.straighten();
        let Self { dim, most, oldest: _, inputs, targets } = self;
        store.keep("inputs", inputs)?;
        store.keep("targets", targets)?;
        let fits = targets.len() <= *most && inputs.len() == *dim * targets.len();
        store.check(fits, "has rows that are too many, or not as wide as this learner's")
    }
}
