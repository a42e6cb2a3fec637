//! kernel-ridge: online kernel ridge regression.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::exact;
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kernel-ridge",
    summary: "exact online kernel ridge regression: f_t minimises sum (y - f)^2 + lambda |f|^2 over the past",
    module: module_path!(),
    params: exact::PARAMS,
    build: Recipe {
        learner: |params, setting| exact::build(Forecast::Ridge, params, setting),
        cost: |_, rounds, dim| exact::Exact::cost(rounds, dim),
        drawn_by: &[],
    },
};
