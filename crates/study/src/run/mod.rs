//! The cells of experiments.

pub mod compute;
pub(crate) mod stage;
