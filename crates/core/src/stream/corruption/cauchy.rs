//! Noise without a mean.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use crate::stream::corruption::api::{Corruption, CorruptionEntry};
use noregret_numeric::draw::Draw;

/// The Cauchy law: density 1 / (pi scale (1 + (e / scale)^2)), symmetric, without a mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CauchyCorruption {
    scale: f64,
}

impl Corruption for CauchyCorruption {
    fn sample(&self, draw: &mut Draw) -> f64 {
        // The inverse of the distribution function at a number that is never 0 or 1.
        let uniform = draw.uniform() + 0.5 * f64::EPSILON;
        self.scale * (PI * (uniform - 0.5)).tan()
    }

    fn largest(&self) -> f64 {
        if self.scale == 0.0 { 0.0 } else { f64::INFINITY }
    }
}

/// Registry entry.
pub(crate) static ENTRY: CorruptionEntry = CorruptionEntry {
    name: "cauchy",
    summary: "Cauchy noise: with probability 1/2 it lies within scale of 0",
    module: module_path!(),
    params: CauchyParams::SPECS,
    build: |params| Ok(Arc::new(CauchyCorruption { scale: CauchyParams::read(params).scale })),
};

parameters! {
    /// Parameters of `cauchy`.
    pub(crate) struct CauchyParams with required {
        /// half-width at half-maximum of the density
        scale: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Required;
    }
}
