//! Messages on standard error.

use std::io::Write as _;

/// Writes a message. A closed standard error is no reason to fail.
pub fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
