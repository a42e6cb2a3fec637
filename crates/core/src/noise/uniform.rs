//! Uniform noise.

use std::sync::Arc;

use crate::draw::Draw;
use crate::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw, scaled};
use crate::params::{ParamError, Params};

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "uniform",
    summary: "uniform on [-sqrt(3) noise_std, sqrt(3) noise_std), independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn NoiseLaw>, ParamError> {
    Ok(Arc::new(Uniform { half_width: 3f64.sqrt() * params.real(NOISE_STD.name) }))
}

/// Coordinates independent, uniform on [-h, h); the variance is h^2 / 3.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    half_width: f64,
}

impl NoiseLaw for Uniform {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        for noise in out {
            *noise = draw.between(-self.half_width, self.half_width);
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        scaled(self.half_width * self.half_width / 3.0, w, out);
    }
}
