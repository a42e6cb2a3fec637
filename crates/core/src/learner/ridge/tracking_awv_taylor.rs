//! tracking-awv-taylor: the Azoury-Warmuth-Vovk forecaster against a function that moves, over the Taylor features of the
//! Gaussian kernel. See [`crate::learner::ridge::tracking`].

use crate::learner::api::{AnyLearner, LearnerEntry, Recipe};
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::ridge::taylor::{self, ORDER};
use crate::learner::ridge::tracking::{TrackingAwv, cost};
use crate::params::{Range, Spec};

/// The parameter `q`.
pub(crate) const Q: Spec = Spec::real(
    "q",
    "variance of a step of the function's weights from one round to the next",
    Range::NONNEGATIVE,
    0.01,
);

/// The parameter `a`.
pub(crate) const A: Spec = Spec::real(
    "a",
    "what is left of the function's weights after a round, before the step",
    Range { max: 1.0, max_open: false, ..Range::POSITIVE },
    1.0,
);

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "tracking-awv-taylor",
    summary: "Azoury-Warmuth-Vovk forecaster against a moving function, over the Taylor features of the Gaussian kernel (after Busuttil, Kalnishkan, ALT 2007)",
    module: module_path!(),
    params: &[LAMBDA, BANDWIDTH, ORDER, Q, A],
    build: Recipe {
        learner: |params, setting| {
            let map = Box::new(taylor::map(params, setting)?);
            let [lambda, q, a] = [LAMBDA, Q, A].map(|spec| params.real(spec.name));
            Ok(AnyLearner::Full(Box::new(TrackingAwv::new(map, lambda, q, a))))
        },
        cost: |params, rounds, dim| cost(rounds, taylor::count(params, dim)),
        drawn_by: &[],
    },
};
