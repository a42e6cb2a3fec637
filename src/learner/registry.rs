//! All learners, by name.

pub use crate::learner::api::{Cost, LearnerEntry};
use crate::learner::{
    expert_mixture, fogd, kernel_awv, kernel_ogd, kernel_ridge, kernel_ridge_low_rank, kons, linear_ogd, nogd,
    noisy_analytic, noisy_gaussian, noisy_linear_covariance, noisy_linear_two_copy, noisy_radial, pkawv_nystrom,
    pkawv_taylor, pkrr_nystrom, pkrr_taylor, pros_n_kons, robust_batch, robust_ogd, shrinking_gradient, sketched_kons,
};

/// Every learner.
pub static LEARNERS: &[&LearnerEntry] = &[
    &kernel_ridge::ENTRY,
    &kernel_ridge_low_rank::ENTRY,
    &kernel_awv::ENTRY,
    &pkrr_taylor::ENTRY,
    &pkawv_taylor::ENTRY,
    &pkrr_nystrom::ENTRY,
    &pkawv_nystrom::ENTRY,
    &kons::ENTRY,
    &sketched_kons::ENTRY,
    &pros_n_kons::ENTRY,
    &fogd::ENTRY,
    &nogd::ENTRY,
    &kernel_ogd::ENTRY,
    &shrinking_gradient::ENTRY,
    &expert_mixture::ENTRY,
    &linear_ogd::ENTRY,
    &noisy_linear_two_copy::ENTRY,
    &noisy_linear_covariance::ENTRY,
    &noisy_gaussian::ENTRY,
    &noisy_radial::ENTRY,
    &robust_ogd::ENTRY,
    &robust_batch::ENTRY,
    &noisy_analytic::ENTRY,
];

/// The learner of that name.
pub fn find(name: &str) -> Option<&'static LearnerEntry> {
    LEARNERS.iter().copied().find(|entry| entry.name == name)
}
