//! Noise whose variance changes from round to round by a schedule that is known in advance.

use crate::noise::api::{NoiseLaw, Spread, scaled};
use crate::noise::parameters;
use crate::params::typed::parameters;
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;

parameters! {
    /// Parameters of [`Scheduled`].
    pub(crate) struct ScheduledParams with required {
        noise_std: f64 = parameters::MEAN_NOISE_STD;
        /// largest deviation of a round's variance from the mean variance, as a fraction of the mean
        depth: f64 = Kind::real(Range { max: 1.0, max_open: false, ..Range::NONNEGATIVE }) => Fallback::Real(0.5);
        /// number of rounds after which the variances repeat
        period: u64 = Kind::integer(1, u32::MAX as u64) => Fallback::Integer(100);
    }
}

/// Gaussian noise whose variance depends on the position of the round in its period: coordinates are independent,
/// N(0, noise_std^2 (1 + depth wave(position))).
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    /// The parameters.
    pub params: ScheduledParams,
    /// A function from positions in [0, 1) to [-1, 1].
    pub wave: fn(f64) -> f64,
}

impl Scheduled {
    fn variance(&self, round: u64) -> f64 {
        let ScheduledParams { noise_std, depth, period } = self.params;
        noise_std * noise_std * (1.0 + depth * (self.wave)(position(round, period)))
    }
}

impl NoiseLaw for Scheduled {
    fn sample(&self, round: u64, draw: &mut Draw, out: &mut [f64]) {
        let deviation = self.variance(round).max(0.0).sqrt();
        for noise in out {
            *noise = deviation * draw.normal();
        }
    }

    fn covariance_times(&self, round: u64, w: &[f64], out: &mut [f64]) {
        scaled(self.variance(round), w, out);
    }

    fn spread(&self, dim: usize) -> Option<Spread> {
        let ScheduledParams { noise_std, depth, .. } = self.params;
        Some(Spread::independent(dim, noise_std * noise_std * (1.0 + depth), 3.0))
    }
}

/// The position of a round (from 1) in its period: 0 <= position < 1.
fn position(round: u64, period: u64) -> f64 {
    (round.saturating_sub(1) % period.max(1)) as f64 / period.max(1) as f64
}
