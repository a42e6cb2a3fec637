//! Noise whose variance changes from round to round by a schedule that is known in advance.

use crate::noise::api::{NOISE_STD, NoiseLaw, Spread, scaled};
use crate::params::{Fallback, Kind, Params, Range, Spec};
use noregret_numeric::draw::Draw;

/// The largest deviation of a round's variance from the mean variance, as a fraction of the mean.
pub(crate) const DEPTH: Spec = Spec {
    name: "depth",
    doc: "largest deviation of a round's variance from the mean variance, as a fraction of the mean",
    kind: Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: false }, words: &[] },
    default: Fallback::Real(0.5),
};

/// The number of rounds after which the schedule repeats itself.
pub(crate) const PERIOD: Spec =
    Spec::integer("period", "number of rounds after which the variances repeat", [1, u32::MAX as u64], 100);

/// Gaussian noise whose variance depends on the position of the round in its period: coordinates are independent,
/// N(0, deviation^2 (1 + depth wave(position))).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheduled {
    deviation: f64,
    depth: f64,
    period: u64,
    /// A function from positions in [0, 1) to [-1, 1].
    wave: fn(f64) -> f64,
}

impl Scheduled {
    /// From [`NOISE_STD`], [`DEPTH`] and [`PERIOD`].
    pub(crate) fn new(params: &Params, wave: fn(f64) -> f64) -> Self {
        let (deviation, depth) = (params.real(NOISE_STD.name), params.real(DEPTH.name));
        Self { deviation, depth, period: params.integer(PERIOD.name), wave }
    }

    fn variance(&self, round: u64) -> f64 {
        self.deviation * self.deviation * (1.0 + self.depth * (self.wave)(position(round, self.period)))
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
        Some(Spread::independent(dim, self.deviation * self.deviation * (1.0 + self.depth), 3.0))
    }
}

/// The position of a round (from 1) in its period: 0 <= position < 1.
fn position(round: u64, period: u64) -> f64 {
    (round.saturating_sub(1) % period.max(1)) as f64 / period.max(1) as f64
}
