//! noregret: online learning with kernels, as a reproducible pipeline with a data-parallel batch engine.
//!
//! The map is ARCHITECTURE.md; its import table is held against this source by `tests/architecture.rs`.

pub mod analysis;
pub mod cli;
pub mod code;
pub mod compute;
pub mod config;
pub mod dataset;
pub mod report;
pub mod stages;
pub mod trace;
