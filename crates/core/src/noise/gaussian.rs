//! Gaussian noise.

use std::sync::Arc;

use crate::draw::Draw;
use crate::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw, scaled};
use crate::params::{ParamError, Params};

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "gaussian",
    summary: "N(0, noise_std^2), independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn NoiseLaw>, ParamError> {
    Ok(Arc::new(Gaussian { deviation: params.real(NOISE_STD.name) }))
}

/// Coordinates independent, N(0, deviation^2).
#[derive(Clone, Copy, Debug)]
pub struct Gaussian {
    deviation: f64,
}

impl NoiseLaw for Gaussian {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        for noise in out {
            *noise = self.deviation * draw.normal();
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        scaled(self.deviation * self.deviation, w, out);
    }
}
