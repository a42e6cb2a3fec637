//! Regret against functions that move.

pub mod applied;
pub mod bounds;
pub(crate) mod claims;
pub(crate) mod guarantees;
pub(crate) mod theorems;
