//! Variances that change from round to round, known in advance.

use crate::draw::Draw;
use crate::noise::api::{NOISE_STD, NoiseLaw, scaled};
use crate::params::{Fallback, Kind, Params, Range, Spec};

/// How far the variance of a round may be from the mean, as a part of it.
pub const DEPTH: Spec = Spec {
    name: "depth",
    doc: "how far the variance of a round is from the mean one, at most, as a part of it",
    kind: Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: false }, words: &[] },
    default: Fallback::Real(0.5),
};

/// Rounds after which the schedule repeats itself.
pub const PERIOD: Spec = Spec {
    name: "period",
    doc: "rounds after which the variances repeat themselves",
    kind: Kind::Integer { min: 1, max: u32::MAX as u64 },
    default: Fallback::Integer(100),
};

/// Gaussian noise whose variance depends on the place of the round in its period: coordinates independent,
/// N(0, deviation^2 (1 + depth wave(place))).
#[derive(Clone, Copy, Debug)]
pub struct Scheduled {
    deviation: f64,
    depth: f64,
    period: u64,
    /// Between -1 and 1, for a place in [0, 1).
    wave: fn(f64) -> f64,
}

impl Scheduled {
    /// From [`NOISE_STD`], [`DEPTH`] and [`PERIOD`].
    pub fn new(params: &Params, wave: fn(f64) -> f64) -> Self {
        let (deviation, depth) = (params.real(NOISE_STD.name), params.real(DEPTH.name));
        Self { deviation, depth, period: params.integer(PERIOD.name), wave }
    }

    fn variance(&self, round: u64) -> f64 {
        self.deviation * self.deviation * (1.0 + self.depth * (self.wave)(place(round, self.period)))
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
}

/// The place of a round (from 1) in its period: 0 <= place < 1.
fn place(round: u64, period: u64) -> f64 {
    (round.saturating_sub(1) % period.max(1)) as f64 / period.max(1) as f64
}
