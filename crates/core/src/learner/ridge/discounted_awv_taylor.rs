//! discounted-awv-taylor: Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel that forgets past rounds at a constant rate.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::discount::{TAYLOR, over_taylor, taylor_cost};
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "discounted-awv-taylor",
    summary: "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module: module_path!(),
    params: TAYLOR,
    build: Recipe {
        learner: |params, setting| over_taylor(Forecast::Awv, params, setting),
        cost: taylor_cost,
        drawn_by: &[],
    },
};
