//! Gaussian noise that is alternately strong and weak.

use std::sync::Arc;

use crate::noise::api::NoiseEntry;
use crate::noise::schedule::{Scheduled, ScheduledParams};
use crate::params::ParamError;
use crate::params::typed::Parameters;

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "alternating",
    summary: "Gaussian, variance noise_std^2 (1 + depth) and noise_std^2 (1 - depth) alternating every half period",
    module: module_path!(),
    params: ScheduledParams::SPECS,
    build: |params| {
        let params = ScheduledParams::read(params);
        if params.period % 2 == 1 {
            let why =
                "has halves of different lengths, so that the mean variance is not noise_std^2; give an even number";
            return Err(ParamError::refused("period", why));
        }
        Ok(Arc::new(Scheduled { params, wave: |position| if position < 0.5 { 1.0 } else { -1.0 } }))
    },
};
