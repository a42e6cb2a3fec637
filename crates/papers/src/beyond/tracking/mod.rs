//! Regret against functions that move.

pub mod applied;
pub mod bounds;
pub mod claims;
pub(crate) mod guarantees;
pub mod statements;
