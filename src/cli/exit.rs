//! The exit statuses of all commands.

use noregret_engine::exec::engine::RunSummary;

/// Done, or nothing to do. Data that cannot be reached change this only with `--strict`.
pub const DONE: u8 = 0;
/// Something failed: a stage, a cell, a checksum, a comparison.
pub const FAILED: u8 = 1;
/// Wrong usage or configuration.
pub const USAGE: u8 = 2;
/// Another run is in the way: it does the work that is left (with `--no-wait`), or it keeps `gc` and `clean`
/// from removing.
pub const BUSY: u8 = 75;
/// Added to the number of a signal: 130 for SIGINT, 143 for SIGTERM, 138 for SIGUSR1 (a scheduler's warning).
pub(crate) const SIGNAL: u8 = 128;

/// The exit status after an interruption.
pub(crate) fn of_signal(signal: i32) -> u8 {
    SIGNAL.saturating_add(u8::try_from(signal).unwrap_or(0))
}

/// The exit status of a run.
pub fn of_run(summary: &RunSummary, strict: bool) -> u8 {
    if let Some(signal) = summary.signal {
        return of_signal(signal);
    }
    let unsent = summary.shared.as_ref().is_some_and(|shared| shared.unsent.is_some());
    let failed = unsent || !summary.failed.is_empty() || !summary.skipped.is_empty() || summary.stopped.is_some();
    if failed || summary.absent > 0 || (strict && !summary.unavailable.is_empty()) {
        FAILED
    } else if summary.busy {
        BUSY
    } else {
        DONE
    }
}
