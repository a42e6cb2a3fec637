//! Aggregated forecasts, and intervals.

pub mod applied;
pub mod claims;
pub(crate) mod guarantees;
pub mod statements;
