//! noregret: a reproducible research pipeline for online learning with kernels, with a data-parallel batch engine.
//!
//! ARCHITECTURE.md is the map of the source.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod cli;
pub mod code;
pub mod compute;
pub mod config;
pub mod dataset;
pub mod model;
pub mod report;
pub mod stages;
pub mod trace;
