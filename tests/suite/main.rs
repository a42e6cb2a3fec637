//! The integration suite, one binary.

mod architecture;
mod data;
mod engine;
mod identity;
mod pipeline;
mod report;
mod slurm;
#[path = "../../crates/core/tests/suite/splitmix.rs"]
mod splitmix;
mod stream;
