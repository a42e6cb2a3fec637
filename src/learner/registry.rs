//! All learners, by name.

pub use crate::learner::api::{Cost, LearnerEntry};
use crate::learner::{fogd, kernel_awv, kernel_ogd, kernel_ridge, pkawv_taylor, pkrr_taylor};

/// Every learner.
pub static LEARNERS: &[&LearnerEntry] = &[
    &kernel_ridge::ENTRY,
    &kernel_awv::ENTRY,
    &pkrr_taylor::ENTRY,
    &pkawv_taylor::ENTRY,
    &fogd::ENTRY,
    &kernel_ogd::ENTRY,
];

/// The learner of that name.
pub fn find(name: &str) -> Option<&'static LearnerEntry> {
    LEARNERS.iter().copied().find(|entry| entry.name == name)
}
