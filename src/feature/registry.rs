//! All feature families, by name.

pub use crate::feature::family::FamilyEntry;
use crate::feature::{clipped_relu, conv1d, cosine, discrete, erf, relu_sphere, sign, step, tanh2};

/// Every feature family.
pub static FAMILIES: &[&FamilyEntry] = &[
    &cosine::ENTRY,
    &erf::ENTRY,
    &sign::ENTRY,
    &step::ENTRY,
    &relu_sphere::ENTRY,
    &clipped_relu::ENTRY,
    &tanh2::ENTRY,
    &conv1d::ENTRY,
    &discrete::ENTRY,
];
