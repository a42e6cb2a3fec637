//! Laplace (double exponential) noise.

use std::sync::Arc;

use crate::draw::Draw;
use crate::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw, scaled};
use crate::params::{ParamError, Params};

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "laplace",
    summary: "density exp(-|z|/b) / (2b) with b = noise_std / sqrt(2), independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn NoiseLaw>, ParamError> {
    Ok(Arc::new(Laplace { scale: params.real(NOISE_STD.name) * std::f64::consts::FRAC_1_SQRT_2 }))
}

/// Coordinates independent with density exp(-|z|/b) / (2b); the variance is 2 b^2.
#[derive(Clone, Copy, Debug)]
pub struct Laplace {
    scale: f64,
}

impl NoiseLaw for Laplace {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        for noise in out {
            // A sign times an exponential; 1 - u lies in (0, 1], so the logarithm is finite.
            *noise = draw.sign() * self.scale * -(1.0 - draw.uniform()).ln();
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        scaled(2.0 * self.scale * self.scale, w, out);
    }
}
