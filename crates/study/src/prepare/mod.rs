//! Datasets, scaled and with their target transformed.

pub mod compute;
pub(crate) mod stage;
