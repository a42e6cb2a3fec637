//! Asymmetric noise of mean zero.

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::corruption::api::{Corruption, CorruptionEntry};
use noregret_numeric::draw::Draw;

/// `high` with this probability, otherwise -high probability / (1 - probability). The mean is 0, the variance high^2
/// probability / (1 - probability).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoPoint {
    high: f64,
    probability: f64,
}

impl TwoPoint {
    fn low(&self) -> f64 {
        -self.high * self.probability / (1.0 - self.probability)
    }
}

impl Corruption for TwoPoint {
    fn sample(&self, draw: &mut Draw) -> f64 {
        if draw.uniform() < self.probability { self.high } else { self.low() }
    }

    fn largest(&self) -> f64 {
        self.high.abs().max(self.low().abs())
    }
}

/// Registry entry.
pub(crate) static ENTRY: CorruptionEntry = CorruptionEntry {
    name: "two-point",
    summary: "skewed noise: high with this probability, otherwise the value that makes the mean 0",
    module: module_path!(),
    params: TwoPointParams::SPECS,
    build: |params| {
        let TwoPointParams { high, probability } = Parameters::read(params);
        Ok(Arc::new(TwoPoint { high, probability }))
    },
};

parameters! {
    /// Parameters of `two-point`.
    pub struct TwoPointParams {
        /// the rarer value
        high: f64 = Kind::real(Range::ANY) => Fallback::Real(1.5);
        /// probability of the value `high`
        probability: f64 = Kind::real(Range { min: 0.0, min_open: true, max: 1.0, max_open: true }) => Fallback::Real(0.1);
    }
}
