//! Gaussian noise.

use std::sync::Arc;

use crate::noise::api::{NOISE_STD, NoiseEntry};
use crate::noise::independent::Independent;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "gaussian",
    summary: "N(0, noise_std^2), independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build: |params| {
        let scale = params.real(NOISE_STD.name);
        let number = |scale: f64, draw: &mut Draw| scale * draw.normal();
        Ok(Arc::new(Independent { scale, variance: scale * scale, kurtosis: 3.0, number }))
    },
};
