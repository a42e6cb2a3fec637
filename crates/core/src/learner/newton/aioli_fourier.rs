//! aioli-fourier: online logistic regression (AIOLI) over random Fourier features of the Gaussian kernel.

use crate::learner::api::{AnyLearner, Cost, LearnerEntry, Recipe};
use crate::learner::newton::aioli::{Aioli, BOUND, LAMBDA};
use crate::learner::parameters::BANDWIDTH;
use crate::learner::ridge::fourier::{self, FEATURES, KIND};

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "aioli-fourier",
    summary: "online logistic regression over random Fourier features of the Gaussian kernel; predicts logits of labels -1, +1 (Jezequel, Gaillard, Rudi, COLT 2020)",
    module: module_path!(),
    params: &[LAMBDA, BOUND, BANDWIDTH, FEATURES, KIND],
    build: Recipe {
        learner: |params, setting| {
            let map = Box::new(fourier::map(params, setting));
            Ok(AnyLearner::Full(Box::new(Aioli::new(map, params.real(LAMBDA.name), params.real(BOUND.name)))))
        },
        cost: |params, rounds, dim| {
            let cost = Aioli::cost(rounds, 2 * params.integer(FEATURES.name));
            Cost { flops: cost.flops + fourier::feature_cost(params, rounds, dim), ..cost }
        },
        drawn_by: fourier::DRAWN_BY,
    },
};
