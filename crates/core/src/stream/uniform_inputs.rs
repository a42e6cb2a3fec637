//! Bounded inputs with labels that cannot be learnt. Bounds that hold on a ball apply here, such as those for Taylor
//! features of the Gaussian kernel.

use std::sync::Arc;

use crate::params::typed::Parameters;
use crate::stream::api::StreamEntry;
use crate::stream::coin_labels::{CoinLabels, CoinLabelsParams, InputLaw};

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "uniform-inputs",
    summary: "x uniform on [-1, 1]^d, y = -1 or +1 with probability 1/2, independent of x",
    module: module_path!(),
    params: CoinLabelsParams::SPECS,
    build: |params| Ok(Arc::new(CoinLabels::new(InputLaw::Uniform, &Parameters::read(params)))),
};
