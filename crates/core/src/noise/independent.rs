//! Noise with independent, equally distributed coordinates.

use crate::noise::api::{NoiseLaw, Spread, scaled};
use crate::noise::parameters;
use crate::params::typed::parameters;
use noregret_numeric::draw::Draw;

parameters! {
    /// Parameters of laws that are [`Independent`].
    pub(crate) struct IndependentParams with required {
        noise_std: f64 = parameters::NOISE_STD;
    }
}

/// Coordinates independent, of mean 0 and the same law in every round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Independent {
    /// The parameter of `number`.
    pub scale: f64,
    /// The variance of a coordinate.
    pub variance: f64,
    /// The fourth moment of a coordinate over the square of its variance.
    pub kurtosis: f64,
    /// Draws one coordinate, given `scale`.
    pub number: fn(f64, &mut Draw) -> f64,
}

impl NoiseLaw for Independent {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        for noise in out {
            *noise = (self.number)(self.scale, draw);
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        scaled(self.variance, w, out);
    }

    fn spread(&self, dim: usize) -> Option<Spread> {
        Some(Spread::independent(dim, self.variance, self.kurtosis))
    }
}
