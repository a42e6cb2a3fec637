//! KONS in its dual form: online Newton steps in the whole function space, where the matrix of the steps is represented
//! by the set S of rounds that were kept in it.
//!
//! With g_s = 2 (p_s - y_s), A_t = alpha I + sum_{s <= t, s in S} eta g_s^2 phi_s phi_s' and v_t the unprojected
//! prediction of round t,
//!
//! ```text
//! A_{t-1} v_t = sum_{s < t} c_s phi_s,
//! c_s = g_s (eta [s in S] g_s p_s - 1) - h(v_s(x_s)) / (phi_s' A_{s-1}^-1 phi_s),
//! phi(x)' A^-1 phi(x') = (k(x, x') - a(x)' a(x')) / alpha,
//! a(x) = L^-1 D^(1/2) k_S(x),   L L' = alpha I + D^(1/2) K_SS D^(1/2),
//! ```
//!
//! where D = diag(eta g_s^2), eta = 1 / (8 C^2), p = clip(v, [-C, C]) and h(v) = v - p. Hence, with
//! z = L^-1 D^(1/2) (K c)_S, v(x) = (k(x)' c - a(x)' z) / alpha. A round adds c_s a(x_s) to z, and appends one entry if
//! the round is kept. It costs O(t + |S|^2).
//!
//! Source: D. Calandriello, A. Lazaric, M. Valko, ICML 2017.

use std::cell::RefCell;
use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::{Breakdown, Gauges, Hypothesis, Learner, Setting};
use crate::learner::last_input::LastInput;
use crate::learner::newton::constants;
use crate::learner::parameters;
use crate::params::ParamError;
use crate::params::typed::{Parameters, parameters};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store, keep};

/// Panel height of the factor.
const HEIGHT: usize = 256;

parameters! {
    /// Parameters of [`Dual`].
    pub struct DualParams {
        alpha: f64 = constants::ALPHA;
        clip: f64 = constants::CLIP;
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

/// The state after t rounds, |S| of them kept: t (d + 1) + |S|^2 / 2 numbers.
#[derive(Debug)]
pub struct Dual {
    kernel: Arc<dyn Kernel>,
    alpha: f64,
    clip: f64,
    points: Matrix,
    /// c.
    coefficients: Vec<f64>,
    /// Indices of the rounds in S, and the square roots of D.
    kept: Vec<usize>,
    strengths: Vec<f64>,
    /// L.
    factor: Growing,
    /// z.
    whitened: Vec<f64>,
    last: RefCell<DualCache>,
}

/// What was computed at the last input.
#[derive(Debug, Default)]
struct DualCache {
    input: LastInput,
    /// k(x) over all rounds, and k(x, x).
    row: Vec<f64>,
    own: f64,
    /// a(x).
    explained: Vec<f64>,
    /// v(x).
    ahead: f64,
}

impl Dual {
    /// The state before the first round.
    ///
    /// # Errors
    /// Values out of range; a kernel that does not accept inputs of this dimension.
    pub fn new(params: DualParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let DualParams { alpha, clip, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        Ok(Self {
            kernel,
            alpha,
            clip,
            points: Matrix::with_width(setting.dim),
            coefficients: Vec::new(),
            kept: Vec::new(),
            strengths: Vec::new(),
            factor: Growing::new(HEIGHT, alpha),
            whitened: Vec::new(),
            last: RefCell::default(),
        })
    }

    /// Kernel values of `x` with the rounds kept, and with itself.
    pub(crate) fn kept_row(&mut self, x: &[f64], row: &mut Vec<f64>) -> f64 {
        self.evaluate(x);
        let last = self.last.get_mut();
        row.clear();
        row.extend(self.kept.iter().map(|&s| last.row[s]));
        last.own
    }

    /// Learns from a round, and keeps it in S if `keep`.
    ///
    /// # Errors
    /// If the step is not finite.
    pub fn step(&mut self, x: &[f64], y: f64, keep: bool) -> Result<(), Breakdown> {
        self.evaluate(x);
        let DualCache { row, own, explained, ahead, .. } = self.last.get_mut();
        let prediction = ahead.clamp(-self.clip, self.clip);
        let slope = 2.0 * (prediction - y);
        let strength = if keep { constants::curvature(self.clip) * slope * slope } else { 0.0 };
        let excess = constants::excess(*ahead, self.clip);
        // In exact arithmetic the spread is positive wherever the excess is not 0; the floor keeps it so after
        // rounding.
        let spread = (*own - squared_norm(explained)).max(f64::EPSILON * *own) / self.alpha;
        let projection = if excess == 0.0 { 0.0 } else { excess / spread };
        let linear = if keep { constants::curvature(self.clip) * slope * prediction } else { 0.0 };
        let coefficient = slope * (linear - 1.0) - projection;
        if !(coefficient.is_finite() && strength.is_finite() && spread.is_finite()) {
            let cause = format!("a Newton step overflowed: coefficient {coefficient}, strength {strength}");
            return Err(Breakdown::new(cause));
        }
        add_scaled(&mut self.whitened, coefficient, explained);
        self.points.push_row(x);
        self.coefficients.push(coefficient);
        if keep {
            let root = strength.sqrt();
            let value = root * (dot(row, &self.coefficients) + *own * coefficient);
            explained.iter_mut().for_each(|entry| *entry *= root);
            let diagonal = self.alpha + strength * *own;
            let pivot = self.factor.pivot(diagonal, explained);
            self.whitened.push((value - dot(explained, &self.whitened)) / pivot.sqrt());
            self.factor.push(explained, diagonal, pivot);
            self.kept.push(self.coefficients.len() - 1);
            self.strengths.push(root);
        }
        Ok(())
    }

    /// Computes v(x) and what it depends on.
    fn evaluate(&self, x: &[f64]) {
        let DualCache { input, row, own, explained, ahead } = &mut *self.last.borrow_mut();
        if !input.replace(x, self.coefficients.len()) {
            return;
        }
        row.resize(self.coefficients.len(), 0.0);
        self.kernel.row(self.points.view(), x, row);
        *own = self.kernel.diagonal(x);
        explained.clear();
        explained.extend(self.kept.iter().zip(&self.strengths).map(|(&s, root)| root * row[s]));
        self.factor.solve(explained);
        *ahead = (dot(row, &self.coefficients) - dot(explained, &self.whitened)) / self.alpha;
    }
}

impl Hypothesis for Dual {
    /// The prediction at `x`, in [-C, C].
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.evaluate(x);
        self.last.borrow().ahead.clamp(-self.clip, self.clip)
    }

    fn gauges(&self) -> Gauges {
        let (n, m) = (self.coefficients.len() as u64, self.kept.len() as u64);
        Gauges {
            stored_points: Some(n),
            kernel_evaluations: Some(n * (n + 1) / 2),
            state_bytes: Some(8 * (n * (self.points.cols() as u64 + 1) + m * (m + 1) / 2 + 3 * m)),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: points, coefficients, kept, strengths, factor, whitened; kernel, alpha, clip, last);
        let (rounds, size) = (points.rows(), kept.len());
        let agree = coefficients.len() == rounds && kept.iter().all(|round| *round < rounds);
        let square = [strengths.len(), factor.len(), whitened.len()] == [size; 3];
        store.check(agree && square, "has parts of different sizes")
    }
}

/// KONS itself: every round is kept.
impl Learner for Dual {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.step(x, y, true)
    }
}
