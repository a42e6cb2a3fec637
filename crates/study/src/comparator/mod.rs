//! The best fixed predictors in hindsight.

pub mod compute;
pub(crate) mod stage;
