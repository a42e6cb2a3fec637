//! Noise that puts all its variance on one coordinate per round.

use std::sync::Arc;

use crate::noise::api::{NoiseEntry, NoiseLaw, Spread};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;

parameters! {
    /// Parameters of [`Adversarial`].
    pub(crate) struct AdversarialParams with required {
        /// square root of the mean over the coordinates of the noise's variance
        noise_std: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Required;
    }
}

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "adversarial",
    summary: "+-sqrt(d) noise_std on coordinate t mod d, 0 on the others: the covariance of largest norm for its trace",
    module: module_path!(),
    params: AdversarialParams::SPECS,
    build: |params| Ok(Arc::new(Adversarial::with_deviation(AdversarialParams::read(params).noise_std))),
};

/// In round t, +-sqrt(d) deviation with probability 1/2 each on coordinate t mod d. Among the laws with E|n|^2 = d
/// deviation^2 its covariance has the largest eigenvalue. The coordinates are fixed in advance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adversarial {
    deviation: f64,
}

impl Adversarial {
    /// The law with this square root of the mean variance per coordinate.
    pub(crate) fn with_deviation(deviation: f64) -> Self {
        Self { deviation }
    }

    /// |n| for vectors of `dim` columns, the same in every round.
    pub(crate) fn norm(&self, dim: usize) -> f64 {
        self.deviation * (dim as f64).sqrt()
    }
}

fn coordinate(round: u64, dim: usize) -> usize {
    (round % dim.max(1) as u64) as usize
}

impl NoiseLaw for Adversarial {
    fn sample(&self, round: u64, draw: &mut Draw, out: &mut [f64]) {
        let dim = out.len();
        out.fill(0.0);
        if let Some(noise) = out.get_mut(coordinate(round, dim)) {
            *noise = draw.sign() * self.deviation * (dim as f64).sqrt();
        }
    }

    fn covariance_times(&self, round: u64, w: &[f64], out: &mut [f64]) {
        let (dim, hit) = (out.len(), coordinate(round, out.len()));
        out.fill(0.0);
        if let Some(product) = out.get_mut(hit) {
            *product = self.deviation * self.deviation * dim as f64 * w[hit];
        }
    }

    /// All variance is in one direction, and |n| is the same in every round.
    fn spread(&self, dim: usize) -> Option<Spread> {
        let trace = self.deviation * self.deviation * dim as f64;
        Some(Spread { variance: trace, trace, of_square: 0.0 })
    }
}
