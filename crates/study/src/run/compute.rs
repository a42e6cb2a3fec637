//! A cell, played and kept.

use std::sync::Arc;

use noregret_core::protocol::cell::{Cell, CellError, Protocol};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::record::RunStatus;
use noregret_core::protocol::supervisor::Supervisor;
use noregret_core::stream::table::Examples;

use noregret_report::trace::cell::{CellTrace, TableProvenance, write_cell};
use noregret_report::trace::table::TraceError;
use noregret_report::trace::write::{Time, times};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A cell that was played.
#[derive(Debug)]
pub(crate) struct PlayedCell {
    /// Its trace, as it is stored.
    pub bytes: Vec<u8>,
    /// Its times, which are no part of the result.
    pub(crate) times: Vec<Time>,
    /// Where and why it broke down, if it did.
    pub(crate) breakdown: Option<(u64, String)>,
}

/// Why a cell has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayError {
    /// It was not played to its end.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// Its trace could not be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Plays a cell of `design` and returns its trace with `provenance` in it.
///
/// # Errors
/// See [`PlayError`]; a learner that breaks down is no error.
pub(crate) fn play(
    design: &Design,
    cell: &Cell,
    protocol: &Protocol,
    table: Option<Arc<Examples>>,
    provenance: TableProvenance,
    supervisor: &dyn Supervisor,
) -> Result<PlayedCell, PlayError> {
    let record = cell.play(design, protocol, table, supervisor)?;
    let breakdown = match &record.status {
        RunStatus::Diverged { round, cause } => Some((*round, cause.clone())),
        RunStatus::Done => None,
    };
    Ok(PlayedCell { bytes: write_cell(&CellTrace::new(&record, provenance))?, times: times(&record), breakdown })
}
