//! Optimality of robust online learning: kernel regression with robust losses.

pub mod applied;
pub(crate) mod claims;
pub mod errata;
pub(crate) mod theorems;
