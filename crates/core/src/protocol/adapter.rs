//! Full-information learners as baselines of the noisy protocol.

use std::num::NonZeroU32;

use crate::learner::api::{Breakdown, Gauges, Hypothesis, Learner, OracleLearner};
use crate::noise::api::Oracle;
use noregret_numeric::draw::Draw;
use noregret_numeric::state::{StateError, Store};

/// A learner that treats the mean of `copies` noisy copies of x_t, with one copy of y_t, as the example itself. With
/// one copy it is the naive learner.
///
/// The prediction for the clean x_t is made before the learner attends to anything of round t. With one copy and no
/// noise, a learner whose prediction does not use `attend` plays exactly as in the full-information protocol.
pub struct FromCopies {
    inner: Box<dyn Learner>,
    copies: NonZeroU32,
    mean: Vec<f64>,
    copy: Vec<f64>,
}

impl FromCopies {
    /// `inner`, which learns from means of `copies` copies.
    pub fn new(inner: Box<dyn Learner>, copies: NonZeroU32) -> Self {
        Self { inner, copies, mean: Vec::new(), copy: Vec::new() }
    }
}

impl Hypothesis for FromCopies {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.inner.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        self.inner.gauges()
    }

    fn estimates(&self) -> bool {
        self.inner.estimates()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { inner, copies: _, mean: _, copy: _ } = self;
        inner.state(store)
    }
}

impl OracleLearner for FromCopies {
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown> {
        let Self { inner, copies, mean, copy } = self;
        mean.resize(oracle.dim(), 0.0);
        copy.resize(oracle.dim(), 0.0);
        oracle.x(mean);
        for _ in 1..copies.get() {
            oracle.x(copy);
            mean.iter_mut().zip(&*copy).for_each(|(sum, value)| *sum += value);
        }
        if copies.get() > 1 {
            let count = f64::from(copies.get());
            mean.iter_mut().for_each(|sum| *sum /= count);
        }
        let y = oracle.y();
        inner.attend(mean, draw)?;
        inner.learn(mean, y, draw)
    }
}
