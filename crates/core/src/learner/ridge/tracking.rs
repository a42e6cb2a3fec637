//! The Azoury-Warmuth-Vovk forecaster against a function that moves, over a fixed feature map.
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
//! `noregret_papers::beyond::tracking::bounds`. With q = 0 and a = 1 it is the forecaster of
//! [`crate::learner::ridge::fixed_features`].
//!
//! Source: S. Busuttil, Y. Kalnishkan, Online regression competitive with changing predictors, ALT 2007, for the idea; the
//! recursion and its bound are derived.

use std::cell::RefCell;

use crate::feature::api::FeatureMap;
use crate::learner::api::{Breakdown, Cost, Gauges, Hypothesis, Learner};
use crate::learner::last_input::LastInput;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::deferred::{Deferred, deferred};
use noregret_numeric::linalg::symmetric::Symmetric;
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::state::{StateError, Store, keep};

/// The cost of `rounds` rounds over `features` features: P phi and the change of P, each over one triangle.
pub(crate) fn cost(rounds: u64, features: u64) -> Cost {
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
    variance: Deferred<Symmetric>,
    mean: Vec<f64>,
    played: usize,
    last: RefCell<TrackingCache>,
}

/// What was computed at the last input: phi, v, h and the ridge forecast.
#[derive(Debug, Default)]
struct TrackingCache {
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
        let variance = deferred(move || Symmetric::identity(r, lambda.recip()));
        Self { map, q, a, variance, mean: vec![0.0; r], played: 0, last: RefCell::default() }
    }

    /// Computes v, h and the ridge forecast at `x`, unless it was the last input.
    fn evaluate(&self, x: &[f64]) {
        let TrackingCache { input, phi, v, h, ridge } = &mut *self.last.borrow_mut();
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
        keep!(self, store: mean[..], variance, played; map, q, a, last);
        Ok(())
    }
}

impl Learner for TrackingAwv {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.evaluate(x);
        let TrackingCache { v, h, ridge, .. } = self.last.get_mut();
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
