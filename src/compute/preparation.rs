//! A dataset, scaled and with its target transformed.

use crate::dataset::error::DataError;
use crate::dataset::prepare::{Preparation, prepare};
use crate::dataset::stored::to_parquet;
use crate::dataset::table::Table;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// Prepares the raw `table` and returns Parquet bytes with `metadata` in them.
///
/// # Errors
/// A preparation that does not fit the table.
pub(crate) fn prepared(
    table: Table,
    preparation: &Preparation,
    metadata: &[(String, String)],
) -> Result<Vec<u8>, DataError> {
    to_parquet(&prepare(table, preparation)?, metadata)
}
