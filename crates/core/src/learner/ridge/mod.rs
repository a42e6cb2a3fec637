//! Ridge regression and its Azoury-Warmuth-Vovk form: exact, over Taylor and random Fourier features, over a dictionary;
//! with and without forgetting.
//!
//! [`exact`], [`fixed_features`] and [`nystrom`] hold the mathematics, on top of [`sequential`] and [`growing_ridge`] (growing
//! factors) and of [`dictionary`] (points that [`kors`] chose, with the coordinates of [`basis`] in their span);
//! [`nystrom_rows`] predicts many rows; [`whitened`] is a window of rounds; [`taylor`], [`fourier`], [`forgetting`] and
//! [`discount`] are parameters; [`tracking`] forecasts against a function that moves.

use crate::learner::api;
use crate::params::registry::members;

pub(crate) mod basis;
pub(crate) mod dictionary;
pub mod discount;
pub mod exact;
pub mod fixed_features;
pub mod forgetting;
pub mod fourier;
pub(crate) mod growing_ridge;
pub mod kors;
pub mod nystrom;
pub(crate) mod nystrom_rows;
pub mod sequential;
pub mod taylor;
pub mod tracking;
pub(crate) mod whitened;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": kernel_ridge, kernel_ridge_low_rank, kernel_awv, pkrr_taylor, pkawv_taylor, pkrr_fourier, pkawv_fourier, pkrr_nystrom, pkawv_nystrom, discounted_awv_taylor, discounted_ridge_taylor, discounted_awv_fourier, discounted_ridge_fourier, window_awv_taylor, tracking_awv_taylor
}
