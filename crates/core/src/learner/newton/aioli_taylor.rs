//! aioli-taylor: online logistic regression (AIOLI) over the Taylor features of the Gaussian kernel.

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe};
use crate::learner::newton::aioli::{Aioli, BOUND, LAMBDA};
use crate::learner::parameters::BANDWIDTH;
use crate::learner::ridge::taylor::{self, ORDER};

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "aioli-taylor",
    summary: "online logistic regression over the Taylor features of the Gaussian kernel; predicts logits of labels -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020)",
    module: module_path!(),
    params: &[LAMBDA, BOUND, BANDWIDTH, ORDER],
    build: Recipe {
        learner: |params, setting| {
            let map = Box::new(taylor::map(params, setting)?);
            Ok(AnyLearner::Full(Box::new(Aioli::new(map, params.real(LAMBDA.name), params.real(BOUND.name)))))
        },
        cost: |params, rounds, dim| Aioli::cost(rounds, taylor::count(params, dim)),
        drawn_by: &[],
    },
};
