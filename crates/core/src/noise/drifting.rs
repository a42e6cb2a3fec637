//! Gaussian noise whose strength rises and falls slowly.

use std::sync::Arc;

use crate::noise::api::{MEAN_NOISE_STD, NoiseEntry};
use crate::noise::schedule::{DEPTH, PERIOD, Scheduled};

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "drifting",
    summary: "Gaussian, variance noise_std^2 (1 + depth sin(2 pi t / period))",
    module: module_path!(),
    params: &[MEAN_NOISE_STD, DEPTH, PERIOD],
    build: |params| Ok(Arc::new(Scheduled::new(params, |position| (std::f64::consts::TAU * position).sin()))),
};
