//! Gaussian noise whose strength rises and falls slowly.

use std::sync::Arc;

use crate::draw::Draw;
use crate::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw, scaled};
use crate::noise::schedule::{DEPTH, PERIOD, place};
use crate::params::{ParamError, Params, Spec};

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "drifting",
    summary: "Gaussian, variance noise_std^2 (1 + depth sin(2 pi t / period))",
    module: module_path!(),
    params: &[Spec { doc: "root of the mean variance of the noise, per coordinate", ..NOISE_STD }, DEPTH, PERIOD],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn NoiseLaw>, ParamError> {
    let (deviation, depth) = (params.real(NOISE_STD.name), params.real(DEPTH.name));
    Ok(Arc::new(Drifting { deviation, depth, period: params.integer(PERIOD.name) }))
}

/// Coordinates independent, N(0, deviation^2 (1 + depth sin(2 pi t / period)))).
#[derive(Clone, Copy, Debug)]
pub struct Drifting {
    deviation: f64,
    depth: f64,
    period: u64,
}

impl Drifting {
    fn variance(&self, round: u64) -> f64 {
        let wave = (std::f64::consts::TAU * place(round, self.period)).sin();
        self.deviation * self.deviation * (1.0 + self.depth * wave)
    }
}

impl NoiseLaw for Drifting {
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
