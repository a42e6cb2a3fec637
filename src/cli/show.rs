//! Standard output.

use std::io::Write;

use super::error::CliError;
use super::exit;

/// Prints a result.
pub fn show(text: &str) -> Result<u8, CliError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(CliError::output)?;
    Ok(exit::DONE)
}
