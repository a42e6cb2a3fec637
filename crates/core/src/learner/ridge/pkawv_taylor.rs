//! pkawv-taylor: Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::ridge::taylor;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkawv-taylor",
    summary: "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module: module_path!(),
    params: taylor::PARAMS,
    build: Recipe {
        learner: |params, setting| taylor::build(Forecast::Awv, params, setting),
        cost: taylor::cost,
        drawn_by: &[],
    },
};
