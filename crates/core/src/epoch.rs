//! Causal scales: means and deviations that are frozen within an epoch.
//!
//! A scale by the whole file looks ahead. One that moves with every row changes the meaning of what was learnt before. Here
//! the scale of an epoch is that of the rows before it, and at the start of an epoch a learner is made anew from all of
//! them. Epochs begin at rows t_1 = 2 and, counted in rows with a known target,
//!
//! ```text
//! t_(k+1) = max(t_k + 1, ceil(1.25 t_k)) for t_k < 600,   2 t_k from there on,
//! ```
//!
//! so that making learners anew costs at most two passes over the rows beyond row 600, and at most five before.
//!
//! Any learner can be played so:
//!
//! ```
//! use noregret_core::epoch::Scales;
//! use noregret_core::learner::over_epochs::OverEpochs;
//! use noregret_core::prelude::*;
//!
//! let entry = LEARNERS.find("linear-ogd")?;
//! let params = check(entry.params, &json!({ "eta": 0.1 }), "", &AllParts)?;
//! let setting = Setting { dim: 1, horizon: None, draws: Draws::named(&["learner"]) };
//! let draws = setting.draws.clone();
//! let build = move || match (entry.build.learner)(&params, &setting)? {
//!     AnyLearner::Full(learner) => Ok(learner),
//!     AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "plays the noisy protocol")),
//! };
//! let scales = Scales { inputs: true, targets: true };
//! let mut learner = OverEpochs::new(Box::new(build), draws.clone(), &[true], scales)?;
//! // Inputs and targets in the thousands, which would blow up a step of 0.1.
//! for t in 1..100 {
//!     let x = 1e3 * f64::from(t % 7);
//!     learner.learn(&[x], 5e3 + 2.0 * x, &mut draws.at(Role::Learn, t as u64)).unwrap();
//! }
//! let said = learner.predict(&[3e3], &mut draws.at(Role::Predict, 100));
//! assert!((said - 11e3).abs() < 300.0, "{said}");
//! # Ok::<(), ParamError>(())
//! ```

use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{State, StateError, Store, keep};

/// The number of rows at which the first epoch begins.
pub const FIRST: u64 = 2;

/// From this many rows on, epochs double.
const DOUBLING: u64 = 600;

/// Inputs are clipped to this many deviations from their mean.
pub const CLIP: f64 = 4.0;

/// A column whose deviation is at most this part of its largest size counts as constant.
const CONSTANT: f64 = 1e-12;

/// The number of rows at which the epoch ends that began after `rows` >= 2 rows: the next one begins there.
///
/// ```
/// use noregret_core::epoch::next;
/// assert_eq!([2, 4, 5, 599, 600].map(next), [3, 5, 7, 749, 1200]);
/// ```
pub fn next(rows: u64) -> u64 {
    if rows < DOUBLING { (rows + 1).max((5 * rows).div_ceil(4)) } else { rows.saturating_mul(2) }
}

/// What is scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scales {
    /// The inputs.
    pub inputs: bool,
    /// The targets. Predictions and intervals come back to the scale of the targets.
    pub targets: bool,
}

impl Scales {
    /// What is scaled in both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { inputs: self.inputs && other.inputs, targets: self.targets && other.targets }
    }
}

/// Mean and deviation of a column over the rows before an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// The root of the mean squared difference from it; 0 where the column counts as constant.
    pub deviation: f64,
}

impl Moments {
    /// Those of the finite values that `values` goes through each time; zeros where there are none.
    pub fn of<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> Self {
        let largest = values().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if largest == 0.0 {
            return Self::default();
        }
        // Parts of the largest value do not overflow.
        let (mut count, mut sum) = (0.0, 0.0);
        values().for_each(|value| (count, sum) = (count + 1.0, sum + value / largest));
        let mean = sum / count;
        let variance = values().map(|value| (value / largest - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        let deviation = if deviation <= CONSTANT { 0.0 } else { deviation * largest };
        Self { mean: mean * largest, deviation }
    }

    /// (x - mean) / deviation, clipped to [-[`CLIP`], [`CLIP`]]; 0 for a constant column.
    pub(crate) fn scale(self, value: f64) -> f64 {
        if self.deviation > 0.0 { ((value - self.mean) / self.deviation).clamp(-CLIP, CLIP) } else { 0.0 }
    }

    /// Whether [`scale`](Moments::scale) clips a value.
    pub(crate) fn clips(self, value: f64) -> bool {
        self.deviation > 0.0 && ((value - self.mean) / self.deviation).abs() > CLIP
    }
}

/// The scale of the columns in an epoch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standard {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Standard {
    /// That of the rows before the epoch.
    pub fn of(rows: Rows<'_>) -> Self {
        let column = |j: usize| Moments::of(|| rows.iter().map(move |row| row[j]));
        let moments: Vec<Moments> = (0..rows.cols()).map(column).collect();
        Self {
            means: moments.iter().map(|column| column.mean).collect(),
            deviations: moments.iter().map(|column| column.deviation).collect(),
        }
    }

    /// The same, but with deviation 1 in the columns that `only` says, which are thus centred and nothing else.
    pub fn centred(mut self, only: &[bool]) -> Self {
        let columns = self.deviations.iter_mut().zip(only).filter(|(_, only)| **only);
        columns.for_each(|(deviation, _)| *deviation = 1.0);
        self
    }

    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.means.len()
    }

    /// The moments of a column.
    pub(crate) fn column(&self, j: usize) -> Moments {
        Moments { mean: self.means[j], deviation: self.deviations[j] }
    }

    /// Scales a row in place.
    pub fn apply(&self, row: &mut [f64]) {
        row.iter_mut().enumerate().for_each(|(j, value)| *value = self.column(j).scale(*value));
    }
}

impl State for Standard {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: means, deviations);
        store.check(means.len() == deviations.len(), "has means and deviations of different numbers of columns")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_two_passes_and_constant_columns_are_zero() {
        let values = [1.0, 3.0, 5.0, 7.0];
        let moments = Moments::of(|| values.into_iter());
        assert!((moments.mean - 4.0).abs() < 1e-15 && (moments.deviation - 5.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(moments.scale(1e9), CLIP);
        assert!(moments.clips(1e9) && !moments.clips(4.0));
        // A rounding error is no spread.
        let constant = Moments::of(|| [0.1 + 0.2, 0.3, 0.3].into_iter());
        assert_eq!((constant.deviation, constant.scale(7.0), constant.clips(7.0)), (0.0, 0.0, false));
        let huge = Moments::of(|| [1.7e308, -1.7e308].into_iter());
        assert!(huge.mean == 0.0 && huge.deviation.is_finite() && huge.scale(1.7e308) == 1.0);
        assert_eq!(Moments::of(std::iter::empty), Moments::default());
    }

    #[test]
    fn epochs_grow_by_a_quarter_then_double() {
        let mut at = FIRST;
        let mut starts = vec![at];
        while at < 10_000 {
            at = next(at);
            starts.push(at);
        }
        assert_eq!(starts[..9], [2, 3, 4, 5, 7, 9, 12, 15, 19]);
        assert!(starts.windows(2).all(|pair| pair[1] > pair[0] && pair[1] <= 2 * pair[0]));
        let before: u64 = starts.iter().filter(|at| **at < 600).sum();
        assert!(before <= 5 * 600);
    }
}
