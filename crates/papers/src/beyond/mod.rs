//! What is known beyond the five papers: forecasts and intervals, random features, logistic regression and betting,
//! changing targets, and costs that no theorem covers.

pub(crate) mod cost;
pub mod errata;
pub(crate) mod forecasts;
pub mod further;
pub mod tracking;
