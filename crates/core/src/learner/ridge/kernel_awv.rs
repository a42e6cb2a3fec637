//! kernel-awv: kernel Azoury-Warmuth-Vovk forecaster.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::exact;
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kernel-awv",
    summary: "exact kernel Azoury-Warmuth-Vovk forecaster: ridge regression with f(x_t)^2 added (Gammerman, Kalnishkan, Vovk 2004)",
    module: module_path!(),
    params: exact::PARAMS,
    build: Recipe {
        learner: |params, setting| exact::build(Forecast::Awv, params, setting),
        cost: |_, rounds, dim| exact::Exact::cost(rounds, dim),
        drawn_by: &[],
    },
};
