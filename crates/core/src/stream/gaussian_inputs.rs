//! Gaussian inputs with labels that cannot be learnt. The regret of a regularised forecaster is then close to its
//! effective dimension, which grows like (log n)^(d+1) under a Gaussian kernel.

use std::sync::Arc;

use crate::params::typed::Parameters;
use crate::stream::api::StreamEntry;
use crate::stream::coin_labels::{CoinLabels, CoinLabelsParams, InputLaw};

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "gaussian-inputs",
    summary: "x ~ N(0, I_d), y = -1 or +1 with probability 1/2, independent of x",
    module: module_path!(),
    params: CoinLabelsParams::SPECS,
    build: |params| Ok(Arc::new(CoinLabels::new(InputLaw::Gaussian, &Parameters::read(params)))),
};
