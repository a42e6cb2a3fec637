//! robust-batch: batch gradient descent on a robust loss, stopped early.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::learner::descent::expansion::{DescentExpansion, diverged};
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::robust::step::{self, Descent, TheoryInputs};
use crate::learner::said::Expanded;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use crate::theory::robust::Regularity;
use crate::window::api::Window;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::state::{StateError, Store, keep};

/// Up to this number of examples, all kernel values (32 MB) are stored from one iteration to the next.
const STORED: usize = 2048;

/// The coefficients and the squared norm of g_(l+1) for l = `iterations`, on T examples: g_1 = 0,
/// g_(l+1) = g_l - (eta l^-decay / T) sum_i W'((g_l(x_i) - y_i)^2 / scale^2) (g_l(x_i) - y_i) k(x_i, .), algorithm
/// (10) of Guo, Christmann, Shi, Optimality of robust online learning.
///
/// # Errors
/// If it leaves the range of floating point.
pub fn run(
    descent: &Descent,
    kernel: &dyn Kernel,
    inputs: Rows<'_>,
    targets: &[f64],
    iterations: u64,
) -> Result<(Vec<f64>, f64), Breakdown> {
    let count = targets.len();
    let (mut coefficients, mut values) = (vec![0.0; count], vec![0.0; count]);
    let mut gram = Vec::new();
    if count <= STORED {
        gram.resize(count * count, 0.0);
        kernel.gram(inputs, inputs, &mut gram);
    }
    for l in 1..=iterations {
        let eta = descent.eta * (l as f64).powf(-descent.decay) / count as f64;
        for ((coefficient, value), target) in coefficients.iter_mut().zip(&values).zip(targets) {
            *coefficient -= eta * descent.slope(value - target);
        }
        if count <= STORED {
            let rows = values.iter_mut().zip(gram.chunks_exact(count));
            rows.for_each(|(value, row)| *value = dot(row, &coefficients));
        } else {
            values.fill(0.0);
            kernel.combine(inputs, &coefficients, inputs, &mut values);
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(diverged("prediction", *value, eta));
        }
    }
    let squared_norm = dot(&coefficients, &values);
    if squared_norm.is_finite() {
        Ok((coefficients, squared_norm))
    } else {
        Err(diverged("squared norm", squared_norm, descent.eta))
    }
}

/// Batch gradient descent on the first 2^k examples, for the largest k possible.
#[derive(Debug)]
pub struct RobustBatch {
    descent: Descent,
    regularity: Regularity,
    stopping: f64,
    kernel: Arc<dyn Kernel>,
    inputs: Matrix,
    targets: Vec<f64>,
    fitted: DescentExpansion,
    evaluations: u64,
}

impl RobustBatch {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range, a kernel for other inputs, a `theory` that needs something that is not known, or a regularity
    /// with which descent stops too late.
    pub fn new(params: RobustBatchParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let RobustBatchParams { window, scale, eta, decay, regularity, capacity, norm, stopping, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        let regularity = Regularity { target: regularity, capacity };
        let descent =
            Descent::new(window, &scale, &eta, decay, &TheoryInputs { regularity, norm, kernel: &*kernel, setting })?;
        if regularity.early_stopping(1.0, 1e3, decay) > 2e6 {
            let why = "with this capacity and decay, so small a value would take more than n^2 iterations";
            return Err(ParamError::refused(step::REGULARITY.name, why));
        }
        Ok(Self {
            descent,
            regularity,
            stopping,
            inputs: Matrix::with_width(setting.dim),
            targets: Vec::new(),
            fitted: DescentExpansion::new(kernel.clone(), setting.dim),
            kernel,
            evaluations: 0,
        })
    }

    /// Adds an example whose prediction was `prediction`.
    fn take(&mut self, x: &[f64], y: f64, prediction: f64) -> Result<(), Breakdown> {
        if !prediction.is_finite() {
            return Err(diverged("prediction", prediction, self.descent.eta));
        }
        self.inputs.push_row(x);
        self.targets.push(y);
        let count = self.targets.len() as u64;
        if count.is_power_of_two() {
            let last = self.regularity.early_stopping(self.stopping, count as f64, self.descent.decay);
            // `last - 1` iterations lead from g_1 to g_last.
            let iterations = last as u64 - 1;
            let (coefficients, squared_norm) =
                run(&self.descent, &*self.kernel, self.inputs.view(), &self.targets, iterations)?;
            self.evaluations += count * count * if count <= STORED as u64 { 1 } else { iterations };
            self.fitted = DescentExpansion::of(self.kernel.clone(), self.inputs.clone(), coefficients, squared_norm);
        }
        Ok(())
    }
}

impl Hypothesis for RobustBatch {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.fitted.evaluate(x)
    }

    fn gauges(&self) -> Gauges {
        let count = self.targets.len() as u64;
        Gauges {
            stored_points: Some(count),
            kernel_evaluations: Some(self.evaluations),
            // The fitted function has points of its own.
            state_bytes: Some(16 * count * (self.inputs.cols() as u64 + 1)),
            ..self.fitted.gauges()
        }
    }

    fn expansion(&self) -> Option<Expanded<'_>> {
        Some(Expanded { points: self.fitted.points(), coefficients: self.fitted.coefficients(), averaged: None })
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: inputs, targets, fitted, evaluations; descent, regularity, stopping, kernel);
        store.check(inputs.rows() == targets.len(), "has inputs and targets of different numbers")
    }
}

impl Learner for RobustBatch {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let prediction = self.fitted.evaluate(x);
        self.take(x, y, prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
            predictions[i] = self.fitted.evaluate(x);
            self.take(x, y, predictions[i]).map_err(in_round(i))?;
        }
        Ok(())
    }
}

parameters! {
    /// Parameters of [`RobustBatch`].
    pub struct RobustBatchParams {
        window: Arc<dyn Window> = step::WINDOW;
        scale: OrWord<f64> = step::SCALE;
        eta: OrWord<f64> = step::ETA;
        /// step l has size eta l^-decay
        // The number of iterations is T to the power 1 / ((2r + beta)(1 - decay)).
        decay: f64 = Kind::real(Range { max: 0.5, max_open: false, ..Range::NONNEGATIVE }) => Fallback::Real(0.0);
        regularity: f64 = step::REGULARITY;
        capacity: f64 = step::CAPACITY;
        norm: &'static str = step::NORM;
        /// c: descent on T examples stops at g_l, l = ceil(c T^(1 / ((2 regularity + capacity)(1 - decay)))) + 1
        stopping: f64 = Kind::real(Range { max: 20.0, max_open: false, ..Range::POSITIVE }) => Fallback::Real(1.0);
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// g_1 = 0,  g_{l+1} = g_l - (eta l^-decay / T) sum_i W'((g_l(x_i) - y_i)^2 / scale^2) (g_l(x_i) - y_i) k(x_i, .)
    /// until l = ceil(stopping T^(1 / ((2 regularity + capacity)(1 - decay)))) + 1;   refitted at rounds 1, 2, 4, 8, ...
    /// ```
    ///
    /// ## Cost
    ///
    /// T^2 operations per iteration at each refit.
    ///
    /// ## When to use it
    ///
    /// To compare online with batch learning under the same loss.
    ///
    /// In the report: `figure/robust-batch`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "robust-batch",
        summary: "batch gradient descent on a robust loss with early stopping, refitted at rounds 1, 2, 4, 8, ... (Guo, Christmann, Shi, algorithm (10))",
        module: module_path!(),
        params: RobustBatchParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(RobustBatch::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let RobustBatchParams { regularity, capacity, stopping, decay, .. } = Parameters::read(params);
                let n = rounds as f64;
                let iterations = Regularity { target: regularity, capacity }.early_stopping(stopping, n, decay);
                let value = (3 * dim + 22) as f64;
                // Stored kernel values are computed once and cost a product per iteration; otherwise every iteration computes
                // them.
                let refit = if n <= STORED as f64 { value + 2.0 * iterations } else { value * iterations };
                // The refits at all powers of two cost a third more than the last one alone.
                let flops = n * n * (refit * 4.0 / 3.0 + value / 2.0);
                Cost { flops, bytes: 16.0 * n * (dim + 1) as f64 + 8.0 * n.min(STORED as f64).powi(2) }
            },
            drawn_by: &[],
            about: About::grid(&[
                ("eta", Tried::Numbers(&[0.1, 0.5])),
                ("scale", Tried::Numbers(&[1.0, 3.0])),
                ("stopping", Tried::Numbers(&[1.0, 10.0])),
                ("kernel.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Robust),
        },
    };
}
