//! pkawv-fourier: Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::fourier;
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkawv-fourier",
    summary: "Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS 2007; Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module: module_path!(),
    params: fourier::PARAMS,
    build: Recipe {
        learner: |params, setting| fourier::build(Forecast::Awv, params, setting),
        cost: fourier::cost,
        drawn_by: fourier::DRAWN_BY,
    },
};
