//! Two-point noise.

use std::sync::Arc;

use crate::draw::Draw;
use crate::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw, scaled};
use crate::params::{ParamError, Params};

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "rademacher",
    summary: "+noise_std or -noise_std with probability 1/2 each, independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build,
};

fn build(params: &Params) -> Result<Arc<dyn NoiseLaw>, ParamError> {
    Ok(Arc::new(Rademacher { deviation: params.real(NOISE_STD.name) }))
}

/// Coordinates independent, +deviation or -deviation with probability 1/2 each.
#[derive(Clone, Copy, Debug)]
pub struct Rademacher {
    deviation: f64,
}

impl NoiseLaw for Rademacher {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        for noise in out {
            *noise = draw.sign() * self.deviation;
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        scaled(self.deviation * self.deviation, w, out);
    }
}
