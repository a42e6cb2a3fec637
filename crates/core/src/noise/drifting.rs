//! Gaussian noise whose strength rises and falls slowly.

use std::sync::Arc;

use crate::noise::api::NoiseEntry;
use crate::noise::schedule::{Scheduled, ScheduledParams};
use crate::params::typed::Parameters;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "drifting",
    summary: "Gaussian, variance noise_std^2 (1 + depth sin(2 pi t / period))",
    module: module_path!(),
    params: ScheduledParams::SPECS,
    build: |params| {
        let wave = |position: f64| (std::f64::consts::TAU * position).sin();
        Ok(Arc::new(Scheduled { params: Parameters::read(params), wave }))
    },
};
