//! Errata: the computation that holds a printed formula against the corrected one.

pub mod compute;
pub(crate) mod stage;
