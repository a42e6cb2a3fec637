//! tracking-awv-taylor: the Azoury-Warmuth-Vovk forecaster against a function that moves, over the Taylor features of the
//! Gaussian kernel.
//!
//! The function's weights are taken to move as u_(t+1) = a u_t + (a step of variance q in every direction). With P = I / lambda
//! and m = 0 at first, a round has
//!
//! ```text
//! v = P phi,   h = phi' v,   ridge = phi' m,   awv = ridge / (1 + h),   k = v / (1 + h),
//! m <- a (m + k (y - ridge)),   P <- a^2 (P - k v') + q I:
//! ```
//!
//! a Kalman filter whose forecast is shrunk. Its loss exceeds that of any path by at most B^2 sum log(1 + h); see
//! [`crate::theory::tracking`]. With q = 0 and a = 1 it is pkawv-taylor.
//!
//! Source: S. Busuttil, Y. Kalnishkan, Online regression competitive with changing predictors, ALT 2007, for the idea; the
//! recursion and its bound are derived.

use std::cell::RefCell;

use crate::draw::Draw;
use crate::feature::api::FeatureMap;
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe};
use crate::learner::last_input::LastInput;
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::taylor::{self, ORDER};
use crate::linalg::symmetric::Symmetric;
use crate::linalg::vector::dot;
use crate::params::{Range, Spec};
use crate::state::{StateError, Store, keep};

/// The parameter `q`.
pub const Q: Spec = Spec::real(
    "q",
    "variance of a step of the function's weights from one round to the next",
    Range::NONNEGATIVE,
    0.01,
);

/// The parameter `a`.
pub const A: Spec = Spec::real(
    "a",
    "what is left of the function's weights after a round, before the step",
    Range { max: 1.0, max_open: false, ..Range::POSITIVE },
    1.0,
);

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "tracking-awv-taylor",
    summary: "Azoury-Warmuth-Vovk forecaster against a moving function, over the Taylor features of the Gaussian kernel (after Busuttil, Kalnishkan, ALT 2007)",
    module: module_path!(),
    params: &[LAMBDA, BANDWIDTH, ORDER, Q, A],
    build: Recipe {
        learner: |params, setting| {
            let map = Box::new(taylor::map(params, setting)?);
            let [lambda, q, a] = [LAMBDA, Q, A].map(|spec| params.real(spec.name));
            Ok(AnyLearner::Full(Box::new(TrackingAwv::new(map, lambda, q, a))))
        },
        cost: |params, rounds, dim| cost(rounds, taylor::count(params, dim)),
    },
};

/// The cost of `rounds` rounds over `features` features: P phi and the change of P, each over one triangle.
pub fn cost(rounds: u64, features: u64) -> Cost {
    let r = features as f64;
    Cost { flops: 3.5 * rounds as f64 * r * r, bytes: bytes(r) }
}

fn bytes(r: f64) -> f64 {
    8.0 * (0.5 * r * (r + 1.0) + r)
}

/// The forecaster over r features: r^2 / 2 numbers, O(r^2) operations a round.
#[derive(Debug)]
pub struct TrackingAwv {
    map: Box<dyn FeatureMap>,
    q: f64,
    a: f64,
    variance: Symmetric,
    mean: Vec<f64>,
    played: usize,
    last: RefCell<Evaluation>,
}

/// What was computed at the last input: phi, v, h and the ridge forecast.
#[derive(Debug, Default)]
struct Evaluation {
    input: LastInput,
    phi: Vec<f64>,
    v: Vec<f64>,
    h: f64,
    ridge: f64,
}

impl TrackingAwv {
    /// A forecaster over `map` that has seen nothing; `lambda` > 0, `q` >= 0, 0 < `a` <= 1.
    pub fn new(map: Box<dyn FeatureMap>, lambda: f64, q: f64, a: f64) -> Self {
        let r = map.features();
        let variance = Symmetric::identity(r, lambda.recip());
        Self { map, q, a, variance, mean: vec![0.0; r], played: 0, last: RefCell::default() }
    }

    /// Computes v, h and the ridge forecast at `x`, unless it was the last input.
    fn evaluate(&self, x: &[f64]) {
        let Evaluation { input, phi, v, h, ridge } = &mut *self.last.borrow_mut();
        if input.replace(x, self.played) {
            phi.resize(self.mean.len(), 0.0);
            v.resize(self.mean.len(), 0.0);
            self.map.write(x, phi);
            self.variance.product(phi, v);
            *h = dot(phi, v);
            *ridge = dot(phi, &self.mean);
        }
    }
}

impl Hypothesis for TrackingAwv {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.evaluate(x);
        let last = self.last.borrow();
        last.ridge / (1.0 + last.h)
    }

    fn gauges(&self) -> Gauges {
        let r = self.mean.len();
        Gauges { features: Some(r as u64), state_bytes: Some(bytes(r as f64) as u64), ..Gauges::default() }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("mean", &mut self.mean[..])?;
        keep!(self, store: variance, played; map, q, a, mean, last);
        Ok(())
    }
}

impl Learner for TrackingAwv {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.evaluate(x);
        let Evaluation { v, h, ridge, .. } = self.last.get_mut();
        let (factor, a) = ((1.0 + *h).recip(), self.a);
        let step = (y - *ridge) * factor;
        if !(step.is_finite() && factor > 0.0) {
            return Err(Breakdown::new(format!("the ridge forecast {ridge} or its variance {h} overflowed")));
        }
        self.mean.iter_mut().zip(&*v).for_each(|(mean, v)| *mean = a * (*mean + step * v));
        self.variance.shrink(a * a, factor, v, self.q);
        self.played += 1;
        Ok(())
    }
}
