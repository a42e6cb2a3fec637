//! noregret: online learning with kernels, as a reproducible pipeline with a data-parallel batch engine.
//!
//! The map is ARCHITECTURE.md; its import table is held against this source by `tests/architecture.rs`.

pub mod analysis;
pub mod cli;
pub mod code;
pub mod comparator;
pub mod config;
pub mod dataset;
pub mod draw;
pub mod errata;
pub mod exec;
pub mod feature;
pub mod kernel;
pub mod learner;
pub mod linalg;
pub mod loss;
pub mod noise;
pub mod params;
pub mod parts;
pub mod plan;
pub mod protocol;
pub mod report;
pub mod stages;
pub mod stream;
pub mod theory;
pub mod trace;
pub mod window;
