//! The integration suite, one binary.

mod architecture;
mod data;
mod engine;
mod laws;
mod pipeline;
mod report;
mod slurm;
mod splitmix;
mod statistics;
mod robust;
mod stream;
mod vectors;
