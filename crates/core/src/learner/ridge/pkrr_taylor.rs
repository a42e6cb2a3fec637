//! pkrr-taylor: ridge regression over the Taylor features of the Gaussian kernel.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::ridge::taylor;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkrr-taylor",
    summary: "ridge regression over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module: module_path!(),
    params: taylor::PARAMS,
    build: Recipe {
        learner: |params, setting| taylor::build(Forecast::Ridge, params, setting),
        cost: taylor::cost,
        drawn_by: &[],
    },
};
