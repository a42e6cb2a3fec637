//! nogd: kernel online gradient descent until a budget of points is full, then linear gradient descent in the span of
//! the largest eigenvectors of their kernel matrix.
//!
//! With K = V diag(s) V' over the first `budget` points, psi(x) = s^(-1/2) V' k(x) over the `rank` largest eigenvalues,
//! and w = s^(1/2) V' a is the projection of f = sum a_i k(x_i, .). From then on, p = w' psi and
//! w -= 2 eta_linear (p - y) psi.
//!
//! Source: J. Lu, S. Hoi, J. Wang, P. Zhao, Z.-Y. Liu, JMLR 17 (2016). Their C++ code keeps a point only after a margin
//! error, and starts the linear part at 0.

use std::cell::RefCell;
use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_WIDTHS, Kin, STEPS, Tried};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::expansion::diverged;
use crate::learner::descent::step;
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store};

/// Eigenvalues of at most this fraction of the largest are rounding errors; their eigenvectors are left out.
const TOLERANCE: f64 = 1e-12;

/// The learner. It holds about budget (rank + d) numbers.
#[derive(Debug)]
pub struct Nogd {
    kernel: Arc<dyn Kernel>,
    budget: usize,
    rank: usize,
    eta: f64,
    eta_linear: f64,
    points: Matrix,
    /// a while the budget is not full, w from then on.
    weights: Vec<f64>,
    /// s^(-1/2) V', once the budget is full.
    map: Option<Matrix>,
    evaluations: u64,
    /// Buffers for k(x) and psi(x).
    scratch: RefCell<NogdScratch>,
}

#[derive(Debug, Default)]
struct NogdScratch {
    kernel: Vec<f64>,
    features: Vec<f64>,
}

parameters! {
    /// Parameters of [`Nogd`].
    pub struct NogdParams {
        eta: OrWord<f64> = step::ETA;
        /// step size after the budget is full
        eta_linear: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["eta"] } => Fallback::Word("eta");
        /// number of points kept: those of the first rounds
        budget: u64 = Kind::integer(1, 10_000) => Fallback::Integer(100);
        /// number of eigenvectors of these points' kernel matrix that span the features, at most the budget
        rank: u64 = Kind::integer(1, 10_000) => Fallback::Integer(50);
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

impl Nogd {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range, a kernel for other inputs, or a step that needs an unknown number of rounds.
    pub fn new(params: NogdParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let NogdParams { budget, rank, eta, eta_linear, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        let eta = step::eta(&eta, setting)?;
        let (eta_linear, dim) = (eta_linear.number().unwrap_or(eta), setting.dim);
        Ok(Self {
            kernel,
            budget: budget as usize,
            rank: rank.min(budget) as usize,
            eta,
            eta_linear,
            points: Matrix::with_width(dim),
            weights: Vec::new(),
            map: None,
            evaluations: 0,
            scratch: RefCell::default(),
        })
    }

    /// f(x); leaves k(x), and psi(x) in the second part, in `scratch`.
    fn evaluate(&self, x: &[f64], scratch: &mut NogdScratch) -> f64 {
        let NogdScratch { kernel, features } = scratch;
        kernel.resize(self.points.rows(), 0.0);
        self.kernel.row(self.points.view(), x, kernel);
        match &self.map {
            None => dot(&self.weights, kernel),
            Some(map) => {
                features.clear();
                features.extend(map.view().iter().map(|row| dot(row, kernel)));
                dot(&self.weights, features)
            }
        }
    }

    /// Starts the second part: computes the eigenvectors and projects f onto their span.
    fn project(&mut self) -> Result<(), Breakdown> {
        let n = self.points.rows();
        let mut gram = vec![0.0; n * n];
        self.kernel.gram(self.points.view(), self.points.view(), &mut gram);
        self.evaluations += (n * n) as u64;
        let eigen = eigen::symmetric(&gram, n, true)
            .map_err(|error| Breakdown::new(format!("the kernel matrix of the budget: {error}")))?;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        let mut map = Matrix::with_width(n);
        let mut weights = Vec::new();
        let pairs = eigen.values.iter().zip(eigen.vectors.chunks_exact(n)).rev();
        for (value, vector) in pairs.take(self.rank).filter(|(value, _)| **value > TOLERANCE * largest) {
            let root = value.sqrt();
            map.push_row(&vector.iter().map(|entry| entry / root).collect::<Vec<f64>>());
            weights.push(root * dot(vector, &self.weights));
        }
        (self.weights, self.map) = (weights, Some(map));
        Ok(())
    }
}

impl Hypothesis for Nogd {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.evaluate(x, &mut self.scratch.borrow_mut())
    }

    fn gauges(&self) -> Gauges {
        let (n, d) = (self.points.rows() as u64, self.points.cols() as u64);
        let rank = self.map.as_ref().map(|map| map.rows() as u64);
        Gauges {
            stored_points: Some(n),
            features: rank,
            kernel_evaluations: Some(self.evaluations),
            norm: self.map.as_ref().map(|_| squared_norm(&self.weights).sqrt()),
            state_bytes: Some(8 * (n * d + self.weights.len() as u64 + rank.unwrap_or(0) * n)),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { kernel: _, budget, rank: _, eta: _, eta_linear: _, points, weights, map, evaluations, scratch: _ } =
            self;
        store.keep("points", points)?;
        store.keep("weights", weights)?;
        store.keep("evaluations", evaluations)?;
        let mut full = map.is_some();
        store.keep("full", &mut full)?;
        if full {
            store.keep("map", map.get_or_insert_with(|| Matrix::with_width(points.rows())))?;
        }
        let features = map.as_ref().map_or(points.rows(), Matrix::rows);
        let agree = weights.len() == features && full == (points.rows() == *budget) && points.rows() <= *budget;
        store.check(agree, "has points, weights and features of different numbers")
    }
}

impl Learner for Nogd {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut scratch = std::mem::take(self.scratch.get_mut());
        let prediction = self.evaluate(x, &mut scratch);
        self.evaluations += self.points.rows() as u64;
        let eta = if self.map.is_some() { self.eta_linear } else { self.eta };
        let step = -2.0 * eta * (prediction - y);
        if !step.is_finite() {
            return Err(diverged("prediction", prediction, step));
        }
        if self.map.is_some() {
            add_scaled(&mut self.weights, step, &scratch.features);
        } else {
            self.points.push_row(x);
            self.weights.push(step);
        }
        *self.scratch.get_mut() = scratch;
        if self.map.is_none() && self.points.rows() == self.budget { self.project() } else { Ok(()) }
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// while fewer than `budget` points:   f <- f - 2 eta (p - y) k(x_t, .)
    /// from then on:   psi(x) = s^(-1/2) V' k(x) over the `rank` largest eigenvalues s of their kernel matrix,
    ///                 w <- w - 2 eta_linear (p - y) psi(x_t)
    /// ```
    ///
    /// ## Cost
    ///
    /// budget (d + rank) operations per round and as many numbers.
    ///
    /// ## When to use it
    ///
    /// Any kernel on long streams whose first rows look like the rest. The points are the first ones: on a file that is sorted,
    /// use `--shuffle`.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "nogd",
        summary: "online gradient descent over Nystrom features of the first points (Lu, Hoi et al., JMLR 2016)",
        module: module_path!(),
        params: NogdParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(Nogd::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let NogdParams { budget, rank, .. } = Parameters::read(params);
                let (budget, rank) = (budget as f64, rank as f64);
                let round = budget * (3 * dim + 20) as f64 + 2.0 * budget * rank.min(budget);
                Cost {
                    flops: rounds as f64 * round + 10.0 * budget.powi(3),
                    bytes: 8.0 * budget * (3.0 * budget + (dim + 1) as f64),
                }
            },
            drawn_by: &[],
            about: About::grid(&[
                ("eta", STEPS),
                ("budget", Tried::Whole(&[100])),
                ("rank", Tried::Whole(&[20, 100])),
                ("kernel.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Gradient),
        },
    };
}
