//! Regression over the Taylor features of the Gaussian kernel: pkrr-taylor and pkawv-taylor.

use crate::learner::api::LearnerEntry;
use crate::learner::ridge::regression::{Awv, Regression, Ridge};
use crate::learner::ridge::taylor::TaylorSpace;

/// Registry entry.
pub(crate) static PKRR_TAYLOR: LearnerEntry = Regression::<TaylorSpace, Ridge>::entry(
    "pkrr-taylor",
    "ridge regression over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module_path!(),
);

/// Registry entry.
pub(crate) static PKAWV_TAYLOR: LearnerEntry = Regression::<TaylorSpace, Awv>::entry(
    "pkawv-taylor",
    "Azoury-Warmuth-Vovk forecaster over the Taylor features of the Gaussian kernel (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module_path!(),
);
