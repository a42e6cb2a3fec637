//! Functions f = sum_i a_i k(x_i, .) that grow by one point per round, and gradient steps on them.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::{Block, Breakdown, Cost, Gauges, in_round};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::state::{State, StateError, Store, keep};

/// Rounds played at once: many enough that the points are read rarely, few enough that the kernel values between these
/// rounds cost little.
const ROUNDS: usize = 64;

/// Points whose kernel values are held at once.
const POINTS: usize = 512;

/// A kernel expansion and its norm.
#[derive(Debug)]
pub(crate) struct DescentExpansion {
    kernel: Arc<dyn Kernel>,
    points: Matrix,
    coefficients: Vec<f64>,
    squared_norm: f64,
    /// Kernel values of the rounds played at once.
    gram: Vec<f64>,
}

impl DescentExpansion {
    /// The zero function on R^`dim`.
    pub(crate) fn new(kernel: Arc<dyn Kernel>, dim: usize) -> Self {
        let points = Matrix::with_width(dim);
        Self { kernel, points, coefficients: Vec::new(), squared_norm: 0.0, gram: Vec::new() }
    }

    /// sum_i coefficients_i k(points_i, .), whose squared norm is `squared_norm`; one coefficient per point.
    pub(crate) fn of(kernel: Arc<dyn Kernel>, points: Matrix, coefficients: Vec<f64>, squared_norm: f64) -> Self {
        Self { kernel, points, coefficients, squared_norm: squared_norm.max(0.0), gram: Vec::new() }
    }

    /// f(x).
    pub(crate) fn evaluate(&self, x: &[f64]) -> f64 {
        let mut values = [0.0; POINTS];
        let mut sum = 0.0;
        for (i, coefficients) in self.coefficients.chunks(POINTS).enumerate() {
            let values = &mut values[..coefficients.len()];
            self.kernel.row(self.points.slice(i * POINTS, i * POINTS + values.len()), x, values);
            sum += dot(coefficients, values);
        }
        sum
    }

    /// The value at x of the average (f_1 + ... + f_T) / T, where f_t is the function before step t of the T steps so
    /// far; 0 before the first step. Its coefficients are those of [`DescentExpansion::averaged`].
    pub(crate) fn evaluate_averaged(&self, x: &[f64]) -> f64 {
        let mut values = [0.0; POINTS];
        let (mut sum, count) = (0.0, self.coefficients.len());
        for (i, coefficients) in self.coefficients.chunks(POINTS).enumerate() {
            let (from, values) = (i * POINTS, &mut values[..coefficients.len()]);
            self.kernel.row(self.points.slice(from, from + values.len()), x, values);
            for (j, value) in values.iter_mut().enumerate() {
                *value *= share(from + j, count);
            }
            sum += dot(coefficients, values);
        }
        sum
    }

    /// The coefficients of (f_1 + ... + f_T) / T: a_i (T - i) / T for point i of T.
    pub(crate) fn averaged(&self) -> Vec<f64> {
        let count = self.coefficients.len();
        self.coefficients.iter().enumerate().map(|(i, coefficient)| coefficient * share(i, count)).collect()
    }

    /// The points x_i.
    pub(crate) fn points(&self) -> Rows<'_> {
        self.points.view()
    }

    /// The coefficients a_i.
    pub(crate) fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// f += coefficient k(x, .), where `value` is f(x) before the step.
    pub(crate) fn add(&mut self, x: &[f64], coefficient: f64, value: f64) -> Result<(), Breakdown> {
        let grown = coefficient * (2.0 * value + coefficient * self.kernel.diagonal(x));
        if !grown.is_finite() {
            return Err(diverged("prediction", value, coefficient));
        }
        // Cancellation must not make the squared norm negative.
        self.squared_norm = (self.squared_norm + grown).max(0.0);
        self.points.push_row(x);
        self.coefficients.push(coefficient);
        Ok(())
    }

    /// Plays a block: in each round, predicts f(x), then adds `step(round, prediction, target)` times k(x, .).
    ///
    /// # Errors
    /// If f leaves the range of floating point.
    pub(crate) fn play(
        &mut self,
        block: Block<'_>,
        mut step: impl FnMut(u64, f64, f64) -> f64,
        predictions: &mut [f64],
    ) -> Result<(), Breakdown> {
        let mut round = block.first_round;
        let step = |_: &[f64], _, value: f64, target: f64| {
            round += 1;
            (value, Ok(Some(step(round - 1, value, target))))
        };
        self.play_some(block, step, predictions)
    }

    /// Plays a block: in each round, `step(input, points so far, f(input), target)` gives the prediction, and what is added
    /// times k(x, .), if anything is.
    ///
    /// # Errors
    /// Those of the steps; if f leaves the range of floating point.
    pub(crate) fn play_some(
        &mut self,
        block: Block<'_>,
        mut step: impl FnMut(&[f64], usize, f64, f64) -> (f64, Result<Option<f64>, Breakdown>),
        predictions: &mut [f64],
    ) -> Result<(), Breakdown> {
        for from in (0..block.targets.len()).step_by(ROUNDS) {
            let to = block.targets.len().min(from + ROUNDS);
            let part = block.part(from, to);
            let predictions = &mut predictions[from..to];
            predictions.fill(0.0);
            self.kernel.combine(self.points.view(), &self.coefficients, part.inputs, predictions);
            // The contributions of the rounds of this part to each other.
            let mut added = [0.0; ROUNDS];
            let count = to - from;
            let mut gram = std::mem::take(&mut self.gram);
            gram.resize(count * count, 0.0);
            self.kernel.gram(part.inputs, part.inputs, &mut gram);
            let played = (0..count).try_for_each(|i| {
                let value = predictions[i] + dot(&added[..i], &gram[i * count..i * count + i]);
                let (x, points) = (part.inputs.row(i), self.coefficients.len());
                let (prediction, coefficient) = step(x, points, value, part.targets[i]);
                predictions[i] = prediction;
                match coefficient.map_err(in_round(from + i))? {
                    Some(coefficient) => {
                        added[i] = coefficient;
                        self.add(x, coefficient, value).map_err(in_round(from + i))
                    }
                    None => Ok(()),
                }
            });
            self.gram = gram;
            played?;
        }
        Ok(())
    }

    /// The cost of `rounds` steps and as many predictions.
    pub(crate) fn cost(rounds: u64, dim: usize) -> Cost {
        let n = rounds as f64;
        Cost { flops: n * n / 2.0 * (3 * dim + 22) as f64, bytes: 8.0 * n * (dim + 1) as f64 }
    }

    /// The gauges: a round costs one kernel value per point and one for the norm.
    pub(crate) fn gauges(&self) -> Gauges {
        let n = self.coefficients.len() as u64;
        Gauges {
            stored_points: Some(n),
            kernel_evaluations: Some(n * (n + 1) / 2),
            norm: Some(self.squared_norm.sqrt()),
            state_bytes: Some(8 * n * (self.points.cols() as u64 + 1)),
            ..Gauges::default()
        }
    }
}

impl State for DescentExpansion {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: points, coefficients, squared_norm; kernel, gram);
        store.check(coefficients.len() == points.rows(), "has points and coefficients of different numbers")
    }
}

/// The fraction of the T = `count` functions f_1 .. f_T that contain the point with index i (from 0): (T - i - 1) / T.
fn share(i: usize, count: usize) -> f64 {
    (count - 1 - i) as f64 / count as f64
}

/// The breakdown of a gradient method whose steps are too large: `what` has the `value`, after a step of size `step`.
pub(crate) fn diverged(what: &str, value: f64, step: f64) -> Breakdown {
    Breakdown::new(format!("diverged: {what} {value:.3e}, step {step:.3e}; a smaller eta may help"))
}
