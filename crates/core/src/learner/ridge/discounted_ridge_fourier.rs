//! discounted-ridge-fourier: ridge regression over random Fourier features of the Gaussian kernel that forgets past rounds at a constant rate.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::ridge::discount::{FOURIER, fourier_cost, over_fourier};
use crate::learner::ridge::fourier;
use crate::learner::ridge::sequential::Forecast;

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "discounted-ridge-fourier",
    summary: "ridge regression over random Fourier features of the Gaussian kernel that discounts past rounds (Jacobsen, Cutkosky, ICML 2024)",
    module: module_path!(),
    params: FOURIER,
    build: Recipe {
        learner: |params, setting| over_fourier(Forecast::Ridge, params, setting),
        cost: fourier_cost,
        drawn_by: fourier::DRAWN_BY,
    },
};
