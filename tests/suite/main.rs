//! The integration suite, one binary.

mod architecture;
mod data;
mod drift;
mod engine;
mod laws;
mod pipeline;
mod report;
mod robust;
mod slurm;
mod splitmix;
mod statistics;
mod stream;
mod vectors;
