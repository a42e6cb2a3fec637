//! Exit status, in one place.

use std::io;

use noregret_engine::exec::batch::BatchError;
use noregret_engine::exec::engine::{RunError, RunSummary};
use noregret_engine::exec::gc::GcError;
use noregret_engine::exec::store::StoreError;
use noregret_engine::plan::select::TargetError;

/// Done, or nothing to do. Data that cannot be reached does not change this, unless `--strict`.
pub const DONE: u8 = 0;
/// Something failed: a stage, a cell, a checksum, a comparison.
pub const FAILED: u8 = 1;
/// Wrong usage or configuration.
pub const USAGE: u8 = 2;
/// Another run has what is left, and `--no-wait` was given.
pub const BUSY: u8 = 75;
/// What a signal's number is added to: 130 for SIGINT, 143 for SIGTERM, 138 for SIGUSR1 (a scheduler's warning).
pub const SIGNAL: u8 = 128;

/// The exit status after an interruption.
pub fn of_signal(signal: i32) -> u8 {
    SIGNAL.saturating_add(u8::try_from(signal).unwrap_or(0))
}

/// The exit status of a run.
pub fn of_run(summary: &RunSummary, strict: bool) -> u8 {
    if let Some(signal) = summary.signal {
        return of_signal(signal);
    }
    let failed = !summary.failed.is_empty() || !summary.skipped.is_empty() || summary.stopped.is_some();
    if failed || summary.absent > 0 || (strict && !summary.unavailable.is_empty()) {
        FAILED
    } else if summary.busy {
        BUSY
    } else {
        DONE
    }
}

/// Why a command ended early: printed once, by whoever called it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Stop {
    /// What to print; empty for nothing.
    pub message: String,
    /// The exit status.
    pub code: u8,
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self { message: error.to_string(), code: FAILED }
    }
}

impl From<TargetError> for Stop {
    fn from(error: TargetError) -> Self {
        Self { message: error.to_string(), code: USAGE }
    }
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Target(error) => error.into(),
            RunError::Batch(BatchError::Store(error)) => error.into(),
            RunError::Batch(error) => Self { message: error.to_string(), code: USAGE },
            error => Self { message: error.to_string(), code: FAILED },
        }
    }
}

impl From<GcError> for Stop {
    fn from(error: GcError) -> Self {
        let code = if matches!(error, GcError::Busy) { BUSY } else { FAILED };
        Self { message: error.to_string(), code }
    }
}

/// Errors of standard output. A reader that has seen enough (`| head`) is a normal end.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { message: String::new(), code: DONE },
            _ => Self { message: format!("cannot write to standard output: {error}"), code: FAILED },
        }
    }
}
