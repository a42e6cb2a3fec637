//! The integration suite, one binary.

mod architecture;
mod data;
mod engine;
mod identity;
mod pipeline;
mod report;
mod slurm;
mod stream;
