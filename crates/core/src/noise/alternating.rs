//! Gaussian noise that is strong and weak in turn.

use std::sync::Arc;

use crate::noise::api::{NOISE_STD, NoiseEntry};
use crate::noise::schedule::{DEPTH, PERIOD, Scheduled};
use crate::params::Spec;

/// The registry's line.
pub static ENTRY: NoiseEntry = NoiseEntry {
    name: "alternating",
    summary: "Gaussian, variance noise_std^2 (1 + depth) and noise_std^2 (1 - depth) in turn, half a period each",
    module: module_path!(),
    params: &[Spec { doc: "root of the mean variance of the noise, per coordinate", ..NOISE_STD }, DEPTH, PERIOD],
    build: |params| Ok(Arc::new(Scheduled::new(params, |place| if place < 0.5 { 1.0 } else { -1.0 }))),
};
