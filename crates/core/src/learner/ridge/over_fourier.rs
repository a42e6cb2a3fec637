//! Regression over random Fourier features of the Gaussian kernel: pkrr-fourier and pkawv-fourier.

use crate::learner::api::LearnerEntry;
use crate::learner::ridge::fourier::FourierSpace;
use crate::learner::ridge::regression::{Awv, Regression, Ridge};

/// Registry entry.
pub(crate) static PKRR_FOURIER: LearnerEntry = Regression::<FourierSpace, Ridge>::entry(
    "pkrr-fourier",
    "ridge regression over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS 2007; Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module_path!(),
);

/// Registry entry.
pub static PKAWV_FOURIER: LearnerEntry = Regression::<FourierSpace, Awv>::entry(
    "pkawv-fourier",
    "Azoury-Warmuth-Vovk forecaster over random Fourier features of the Gaussian kernel (Rahimi, Recht, NIPS 2007; Jezequel, Gaillard, Rudi, NeurIPS 2019)",
    module_path!(),
);
