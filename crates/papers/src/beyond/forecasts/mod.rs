//! Aggregated forecasts, and intervals.

pub(crate) mod applied;
pub(crate) mod claims;
pub(crate) mod guarantees;
pub(crate) mod theorems;
