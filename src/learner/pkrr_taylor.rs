//! pkrr-taylor: Ridge regression over the Taylor features of the Gaussian kernel.

use crate::learner::api::LearnerEntry;
use crate::learner::sequential::Forecast;
use crate::learner::taylor;

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkrr-taylor",
    summary: "ridge regression over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    file: file!(),
    params: taylor::PARAMS,
    build: |params, setting| taylor::build(Forecast::Ridge, params, setting),
    cost: taylor::cost,
};
