//! The integration suite, one binary.

mod architecture;
mod cli;
mod compare;
mod data;
mod docs;
mod engine;
mod external;
mod fuzz;
mod identity;
mod init;
mod mutants;
mod pipeline;
mod rates;
mod ray;
mod report;
mod sge;
mod slurm;
#[expect(dead_code, reason = "the tests of the core use all of it")]
#[path = "../../crates/core/tests/suite/splitmix.rs"]
mod splitmix;
mod stream;
mod studies;
