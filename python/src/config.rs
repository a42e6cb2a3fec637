//! The program's grammar of `--set`, in which models hold parameters.

#[path = "../../src/config/assignment.rs"]
pub mod assignment;
