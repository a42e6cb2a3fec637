//! Regret against functions that move.

pub mod applied;
pub mod bounds;
pub mod claims;
pub mod statements;
