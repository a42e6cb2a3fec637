//! Aggregated forecasts, and intervals.

pub mod applied;
pub mod claims;
pub mod statements;
