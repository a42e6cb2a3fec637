//! Uniform noise.

use std::sync::Arc;

use crate::noise::api::{NOISE_STD, NoiseEntry};
use crate::noise::independent::Independent;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "uniform",
    summary: "uniform on [-sqrt(3) noise_std, sqrt(3) noise_std), independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build: |params| {
        // The half width h; the variance is h^2 / 3.
        let scale = 3f64.sqrt() * params.real(NOISE_STD.name);
        let number = |scale: f64, draw: &mut Draw| draw.between(-scale, scale);
        Ok(Arc::new(Independent { scale, variance: scale * scale / 3.0, kurtosis: 1.8, number }))
    },
};
