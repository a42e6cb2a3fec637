//! Gaussian noise whose strength rises and falls slowly.

use std::sync::Arc;

use crate::noise::api::{NOISE_STD, NoiseEntry};
use crate::noise::schedule::{DEPTH, PERIOD, Scheduled};
use crate::params::Spec;

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "drifting",
    summary: "Gaussian, variance noise_std^2 (1 + depth sin(2 pi t / period))",
    module: module_path!(),
    params: &[Spec { doc: "root of the mean variance of the noise, per coordinate", ..NOISE_STD }, DEPTH, PERIOD],
    build: |params| Ok(Arc::new(Scheduled::new(params, |place| (std::f64::consts::TAU * place).sin()))),
};
