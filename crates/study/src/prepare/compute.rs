//! A dataset, scaled and with its target transformed.

use noregret_data::error::DataError;
use noregret_data::prepare::{Preparation, prepare};
use noregret_data::stored::to_parquet;
use noregret_data::table::DataTable;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// Prepares the raw `table` and returns Parquet bytes with `metadata` in them.
///
/// # Errors
/// A preparation that does not fit the table.
pub(crate) fn prepared(
    table: DataTable,
    preparation: &Preparation,
    metadata: &[(String, String)],
) -> Result<Vec<u8>, DataError> {
    to_parquet(&prepare(table, preparation)?, metadata)
}
