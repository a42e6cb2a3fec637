//! neighbours: p_t is the mean of the targets of the k nearest among the last w rows, the newest of those that are equally near;
//! 0 in round 1. Distances are Euclidean.
//!
//! Source: E. Fix, J. Hodges, Discriminatory analysis (1951); T. Cover, IEEE Transactions on Information Theory 14 (1968), for
//! means of targets. The window of newest rows is that of River's KNNRegressor.

use crate::learner::about::{About, Kin, Tried};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::baseline::nearest::Nearest;
use crate::learner::entry::learner;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::Draw;
use noregret_numeric::state::{StateError, Store};

parameters! {
    /// Parameters of [`Neighbours`].
    pub struct NeighboursParams {
        /// k, how many rows the mean is of
        count: u64 = Kind::integer(1, 1_000_000) => Fallback::Integer(5);
        /// w, among how many of the newest rows they are looked for
        window: u64 = Kind::integer(1, 1_000_000) => Fallback::Integer(1000);
    }
}

/// The learner.
pub struct Neighbours {
    count: usize,
    nearest: Nearest,
}

impl Neighbours {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range.
    pub fn new(params: NeighboursParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        Ok(Self { count: params.count as usize, nearest: Nearest::new(params.window as usize, setting.dim) })
    }
}

impl Hypothesis for Neighbours {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        if self.nearest.is_empty() { 0.0 } else { self.nearest.means(x, [self.count])[0] }
    }

    fn gauges(&self) -> Gauges {
        Gauges {
            stored_points: Some(self.nearest.len() as u64),
            state_bytes: Some(self.nearest.bytes()),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("nearest", &mut self.nearest)
    }
}

impl Learner for Neighbours {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.nearest.push(x, y);
        Ok(())
    }
}

/// Its cost.
fn cost(params: &NeighboursParams, rounds: u64, dim: usize) -> Cost {
    let (n, w, d) = (rounds as f64, params.window as f64, dim as f64);
    Cost { flops: n * n.min(w) * (3.0 * d + 4.0), bytes: 8.0 * n.min(w) * (d + 1.0) }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = mean of the targets of the k rows nearest to x_t among the last w; of equally near ones the newest.   p_1 = 0
    /// ```
    ///
    /// ## Cost
    ///
    /// 3 d w operations per row, and w rows of memory.
    ///
    /// ## When to use it
    ///
    /// As a baseline where near rows have near targets, on inputs that are scaled (`--scale epochs`). `auto` has two of them in its bank.
    pub(crate) static ENTRY = LearnerEntry {
        name: "neighbours",
        summary: "baseline: predicts the mean of the targets of the nearest among the newest rows",
        module: module_path!(),
        params: NeighboursParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(Neighbours::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| cost(&Parameters::read(params), rounds, dim),
            drawn_by: &[],
            about: About::grid(&[("count", Tried::Whole(&[5, 15]))]).of(Kin::Baseline),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    #[test]
    fn the_mean_of_the_two_nearest_of_the_last_three() {
        let mut learner = Neighbours { count: 2, nearest: Nearest::new(3, 1) };
        let draw = &mut Draws::named(&["neighbours"]).at(Role::Predict, 1);
        assert_eq!(learner.predict(&[0.0], draw), 0.0);
        for (x, y) in [(0.0, 100.0), (1.0, 1.0), (2.0, 2.0), (5.0, 5.0)] {
            learner.learn(&[x], y, draw).unwrap();
        }
        // The row at 0 is too old.
        assert_eq!(learner.predict(&[0.0], draw), 1.5);
        assert_eq!(learner.predict(&[4.0], draw), 3.5);
    }
}
