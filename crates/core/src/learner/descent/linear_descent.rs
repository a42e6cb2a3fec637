//! Linear functions under projected gradient descent: w <- Proj(w - eta g), Proj onto the ball of a given radius.

use crate::learner::api::{Breakdown, Gauges, Hypothesis, Learner, Setting};
use crate::learner::descent::expansion::diverged;
use crate::learner::descent::step::{self, ETA_FACTOR, INPUT_BOUND, NOISY_ETA, RADIUS, TARGET_BOUND};
use crate::params::{ParamError, Params, Spec};
use crate::theory::noisy;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store};

/// The parameters of [`LinearDescent::from_two_copies`].
pub(crate) const TWO_COPY_PARAMS: &[Spec] = &[NOISY_ETA, ETA_FACTOR, RADIUS, INPUT_BOUND, TARGET_BOUND];

/// A weight vector in a ball around 0, and its step size.
#[derive(Clone, Debug)]
pub struct LinearDescent {
    weights: Vec<f64>,
    eta: f64,
    radius: f64,
}

impl LinearDescent {
    /// w = 0 in R^`dim`, with step size `eta` and the ball of radius `radius`.
    pub fn new(eta: f64, radius: f64, dim: usize) -> Self {
        Self { weights: vec![0.0; dim], eta, radius }
    }

    /// Starts at w = 0, with the parameter `eta`, whose default is the theorem's step for unbiased gradients from two
    /// copies.
    ///
    /// # Errors
    /// As [`step::noisy_eta`].
    pub(crate) fn from_two_copies(params: &Params, setting: &Setting) -> Result<Self, ParamError> {
        let [radius, inputs, targets] = [RADIUS, INPUT_BOUND, TARGET_BOUND].map(|spec| params.real(spec.name));
        let eta = step::noisy_eta(params, setting, || noisy::two_copy_moment(radius, inputs, targets))?;
        Ok(Self::new(eta, radius, setting.dim))
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
        Gauges {
            features: Some(self.weights.len() as u64),
            norm: Some(squared_norm(&self.weights).sqrt()),
            state_bytes: Some(8 * self.weights.len() as u64),
            ..Gauges::default()
        }
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
