//! Linear functions under projected gradient descent: w <- Proj(w - eta g), Proj onto the ball of a given radius.

use crate::learner::api::{Breakdown, Gauges, Hypothesis, Learner, Setting};
use crate::learner::descent::expansion::diverged;
use crate::learner::descent::step;
use crate::params::ParamError;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::theory::noisy;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store};

parameters! {
    /// Parameters of [`LinearDescent`], and of descent from two copies.
    pub struct LinearDescentParams {
        eta: OrWord<f64> = step::NOISY_ETA;
        eta_factor: f64 = step::ETA_FACTOR;
        radius: f64 = step::RADIUS;
        input_bound: f64 = step::INPUT_BOUND;
        target_bound: f64 = step::TARGET_BOUND;
    }
}

/// A weight vector in a ball around 0, and its step size.
#[derive(Clone, Debug)]
pub struct LinearDescent {
    weights: Vec<f64>,
    eta: f64,
    radius: f64,
}

impl LinearDescent {
    /// Starts at w = 0; `theory` is the theorem's step for unbiased gradients from two copies.
    ///
    /// # Errors
    /// Values out of range, or a step that needs an unknown number of rounds or is not a positive finite number.
    pub fn new(params: LinearDescentParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let LinearDescentParams { eta, eta_factor, radius, input_bound, target_bound } = params;
        let moment = || noisy::two_copy_moment(radius, input_bound, target_bound);
        Ok(Self::with_step(step::noisy_eta(&eta, eta_factor, radius, setting, moment)?, radius, setting.dim))
    }

    /// w = 0 in R^`dim`, with step size `eta` and the ball of radius `radius`.
    pub(crate) fn with_step(eta: f64, radius: f64, dim: usize) -> Self {
        Self { weights: vec![0.0; dim], eta, radius }
    }

    /// w.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// <w, x>.
    pub(crate) fn evaluate(&self, x: &[f64]) -> f64 {
        dot(&self.weights, x)
    }

    /// w <- Proj(w - eta (factor x + correction)). The gradient of (<w, x> - y)^2 is factor x with
    /// factor = 2 (<w, x> - y).
    ///
    /// # Errors
    /// If w leaves the range of floating point.
    pub(crate) fn step(&mut self, factor: f64, x: &[f64], correction: &[f64]) -> Result<(), Breakdown> {
        add_scaled(&mut self.weights, -self.eta * factor, x);
        add_scaled(&mut self.weights, -self.eta, correction);
        let norm = squared_norm(&self.weights).sqrt();
        if !norm.is_finite() {
            return Err(diverged("residual", 0.5 * factor, self.eta * factor));
        }
        if norm > self.radius {
            let shrink = self.radius / norm;
            self.weights.iter_mut().for_each(|weight| *weight *= shrink);
        }
        Ok(())
    }
}

impl Hypothesis for LinearDescent {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.evaluate(x)
    }

    fn gauges(&self) -> Gauges {
        Gauges::of_weights(&self.weights)
    }

    /// The step size; a formula may have given it.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![("eta", self.eta)]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { weights, eta: _, radius: _ } = self;
        store.keep("weights", &mut weights[..])
    }
}

/// Descent on the square loss at the inputs that it sees.
impl Learner for LinearDescent {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.step(2.0 * (self.evaluate(x) - y), x, &[])
    }
}
