//! pkawv-nystrom: Azoury-Warmuth-Vovk forecaster over the span of a dictionary sampled by leverage scores.

use crate::learner::api::LearnerEntry;
use crate::learner::nystrom;
use crate::learner::sequential::Forecast;

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkawv-nystrom",
    summary: "Azoury-Warmuth-Vovk forecaster over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    file: file!(),
    params: &nystrom::params("before"),
    build: |params, setting| nystrom::build(Forecast::Awv, params, setting),
    cost: nystrom::cost,
};
