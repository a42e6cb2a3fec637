//! Laplace (double exponential) noise.

use std::sync::Arc;

use crate::noise::api::NoiseEntry;
use crate::noise::independent::{Independent, IndependentParams};
use crate::params::typed::Parameters;
use noregret_numeric::draw::Draw;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "laplace",
    summary: "density exp(-|z|/b) / (2b) with b = noise_std / sqrt(2), independent coordinates",
    module: module_path!(),
    params: IndependentParams::SPECS,
    build: |params| {
        // b; the variance is 2 b^2.
        let scale = IndependentParams::read(params).noise_std * std::f64::consts::FRAC_1_SQRT_2;
        // A sign times an exponential; 1 - u lies in (0, 1], so the logarithm is finite.
        let number = |scale: f64, draw: &mut Draw| draw.sign() * scale * -(1.0 - draw.uniform()).ln();
        Ok(Arc::new(Independent { scale, variance: 2.0 * scale * scale, kurtosis: 6.0, number }))
    },
};
