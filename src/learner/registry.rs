//! All learners, by name.

use super::api::{AnyLearner, Setting};
use crate::params::{ParamError, Params, Spec};

/// A registered learner.
#[derive(Debug)]
pub struct LearnerEntry {
    /// Name in configuration, on the command line and in tables.
    pub name: &'static str,
    /// What it computes, in one line, with its source.
    pub summary: &'static str,
    /// Its source file (`file!()`), for code identity.
    pub file: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Builds it from checked parameters.
    pub build: fn(&Params, &Setting) -> Result<AnyLearner, ParamError>,
    /// Floating-point operations and bytes of state after `rounds` rounds in `dim` dimensions, for planning.
    pub cost: fn(&Params, rounds: u64, dim: usize) -> Cost,
}

/// A coarse forecast of what a run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Floating-point operations in all.
    pub flops: f64,
    /// Largest state in bytes.
    pub bytes: f64,
}

/// Every learner.
pub static LEARNERS: &[&LearnerEntry] = &[];

/// The learner of that name.
pub fn find(name: &str) -> Option<&'static LearnerEntry> {
    LEARNERS.iter().copied().find(|entry| entry.name == name)
}
