//! pkrr-nystrom: ridge regression over the span of a dictionary sampled by leverage scores.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::nystrom;
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "pkrr-nystrom",
    summary: "ridge regression over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module: module_path!(),
    params: &nystrom::params("after"),
    build: Recipe {
        learner: |params, setting| nystrom::build(Forecast::Ridge, params, setting),
        cost: nystrom::cost,
        drawn_by: &[],
    },
};
