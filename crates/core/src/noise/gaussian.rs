//! Gaussian noise.

use std::sync::Arc;

use crate::noise::api::NoiseEntry;
use crate::noise::independent::{Independent, IndependentParams};
use crate::params::typed::Parameters;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "gaussian",
    summary: "N(0, noise_std^2), independent coordinates",
    module: module_path!(),
    params: IndependentParams::SPECS,
    build: |params| {
        let scale = IndependentParams::read(params).noise_std;
        let number = |scale: f64, draw: &mut Draw| scale * draw.normal();
        Ok(Arc::new(Independent { scale, variance: scale * scale, kurtosis: 3.0, number }))
    },
};
