//! Gaussian noise that is alternately strong and weak.

use std::sync::Arc;

use crate::noise::api::{MEAN_NOISE_STD, NoiseEntry};
use crate::noise::schedule::{DEPTH, PERIOD, Scheduled};
use crate::params::ParamError;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "alternating",
    summary: "Gaussian, variance noise_std^2 (1 + depth) and noise_std^2 (1 - depth) alternating every half period",
    module: module_path!(),
    params: &[MEAN_NOISE_STD, DEPTH, PERIOD],
    build: |params| {
        if params.integer(PERIOD.name) % 2 == 1 {
            let why =
                "has halves of different lengths, so that the mean variance is not noise_std^2; give an even number";
            return Err(ParamError::refused(PERIOD.name, why));
        }
        Ok(Arc::new(Scheduled::new(params, |position| if position < 0.5 { 1.0 } else { -1.0 })))
    },
};
