//! Efficient online learning with kernels for adversarial large scale problems: projected kernel forecasters (PKAWV).

pub mod applied;
pub mod bounds;
pub(crate) mod claims;
pub mod errata;
pub(crate) mod guarantees;
pub(crate) mod ridge;
pub(crate) mod spectrum;
pub(crate) mod theorems;
