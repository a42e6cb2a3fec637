//! pkawv-nystrom: Azoury-Warmuth-Vovk forecaster over the span of a dictionary sampled by leverage scores.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::nystrom;
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkawv-nystrom",
    summary: "Azoury-Warmuth-Vovk forecaster over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module: module_path!(),
    params: &nystrom::params("before"),
    build: Recipe {
        learner: |params, setting| nystrom::build(Forecast::Awv, params, setting),
        cost: nystrom::cost,
        drawn_by: &[],
    },
};
