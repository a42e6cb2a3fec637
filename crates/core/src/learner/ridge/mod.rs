//! Ridge regression and its Azoury-Warmuth-Vovk form: linear, exact, over Taylor and random Fourier features, over a dictionary;
//! with and without forgetting.
//!
//! A learner of [`regression`] is one of two forecasts over a space: [`linear`] (on top of [`augmented`]), [`exact`], [`taylor`], [`fourier`], [`nystrom`], or one
//! with a [`discounted`]. [`exact`], [`fixed_features`] and [`nystrom`] hold the mathematics, on top of [`sequential`] and
//! [`growing_ridge`] (growing factors) and of [`dictionary`] (points that [`kors`] chose, with the coordinates of [`basis`] in
//! their span); [`nystrom_rows`] predicts many rows; [`whitened`] is a window of rounds; [`discount`] holds discounts;
//! [`tracking`] forecasts against a function that moves.

use crate::learner::api::Recipe;
use crate::params::registry::Registry;

pub(crate) mod augmented;
pub(crate) mod basis;
pub(crate) mod dictionary;
pub mod discount;
pub mod discounted;
pub mod exact;
pub mod fixed_features;
pub mod fourier;
pub(crate) mod growing_ridge;
pub mod kernel_ridge_low_rank;
pub mod kors;
pub mod linear;
pub mod nystrom;
pub(crate) mod nystrom_rows;
pub mod over_fourier;
pub mod over_taylor;
pub mod regression;
pub mod sequential;
pub mod taylor;
pub mod tracking;
pub mod tracking_awv_taylor;
pub(crate) mod whitened;
pub mod window_awv_taylor;

/// These learners.
pub static MEMBERS: Registry<Recipe> = Registry {
    kind: "learner",
    members: &[
        &linear::LINEAR_RIDGE,
        &linear::LINEAR_AWV,
        &exact::KERNEL_RIDGE,
        &kernel_ridge_low_rank::ENTRY,
        &exact::KERNEL_AWV,
        &over_taylor::PKRR_TAYLOR,
        &over_taylor::PKAWV_TAYLOR,
        &over_fourier::PKRR_FOURIER,
        &over_fourier::PKAWV_FOURIER,
        &nystrom::PKRR_NYSTROM,
        &nystrom::PKAWV_NYSTROM,
        &discounted::DISCOUNTED_AWV_TAYLOR,
        &discounted::DISCOUNTED_RIDGE_TAYLOR,
        &discounted::DISCOUNTED_AWV_FOURIER,
        &discounted::DISCOUNTED_RIDGE_FOURIER,
        &window_awv_taylor::ENTRY,
        &tracking_awv_taylor::ENTRY,
    ],
};
