//! Two-point noise.

use std::sync::Arc;

use crate::noise::api::NoiseEntry;
use crate::noise::independent::{Independent, IndependentParams};
use crate::params::typed::Parameters;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "rademacher",
    summary: "+noise_std or -noise_std with probability 1/2 each, independent coordinates",
    module: module_path!(),
    params: IndependentParams::SPECS,
    build: |params| {
        let scale = IndependentParams::read(params).noise_std;
        let number = |scale: f64, draw: &mut Draw| draw.sign() * scale;
        Ok(Arc::new(Independent { scale, variance: scale * scale, kurtosis: 1.0, number }))
    },
};
