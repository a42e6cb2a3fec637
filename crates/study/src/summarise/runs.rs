//! One runs table from those of all experiments.

use noregret_report::trace::join;
use noregret_report::trace::table::TraceError;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// The runs of all tables, each given as Parquet bytes, in one.
///
/// # Errors
/// Bytes that are not a runs table.
pub(crate) fn joined(tables: &[Vec<u8>]) -> Result<Vec<u8>, TraceError> {
    join::runs(tables)
}
