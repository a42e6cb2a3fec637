//! Uniform noise.

use std::sync::Arc;

use crate::noise::api::NoiseEntry;
use crate::noise::independent::{Independent, IndependentParams};
use crate::params::typed::Parameters;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "uniform",
    summary: "uniform on [-sqrt(3) noise_std, sqrt(3) noise_std), independent coordinates",
    module: module_path!(),
    params: IndependentParams::SPECS,
    build: |params| {
        // The half width h; the variance is h^2 / 3.
        let scale = 3f64.sqrt() * IndependentParams::read(params).noise_std;
        let number = |scale: f64, draw: &mut Draw| draw.between(-scale, scale);
        Ok(Arc::new(Independent { scale, variance: scale * scale / 3.0, kurtosis: 1.8, number }))
    },
};
