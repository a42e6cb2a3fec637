//! Two-point noise.

use std::sync::Arc;

use crate::noise::api::{NOISE_STD, NoiseEntry};
use crate::noise::independent::Independent;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "rademacher",
    summary: "+noise_std or -noise_std with probability 1/2 each, independent coordinates",
    module: module_path!(),
    params: &[NOISE_STD],
    build: |params| {
        let scale = params.real(NOISE_STD.name);
        let number = |scale: f64, draw: &mut Draw| draw.sign() * scale;
        Ok(Arc::new(Independent { scale, variance: scale * scale, kurtosis: 1.0, number }))
    },
};
