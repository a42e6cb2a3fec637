//! Where a dataset is: in a file, on a server, at an address.

use std::path::PathBuf;

use crate::bucket::is_bucket;
use crate::error::DataError;
use crate::http::is_address;

/// Where data are, as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file on this machine.
    File(PathBuf),
    /// A number or a name on OpenML.
    OpenMl(String),
    /// A number at the UCI repository.
    Uci(u64),
    /// An address.
    Address(String),
}

impl Place {
    /// `openml:61`, `openml:iris`, `uci:275`, `https://...`; anything else is the path of a file.
    ///
    /// # Errors
    /// A server without a number or a name that it can know.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let wrong = |detail: &str| Err(DataError::Server { source_name: text.to_owned(), detail: detail.to_owned() });
        if let Some(which) = text.strip_prefix("openml:") {
            let which = which.trim();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')' | '+');
            return match which {
                "" => wrong("give its number or its name, such as openml:61 or openml:iris"),
                _ if which.chars().all(plain) => Ok(Place::OpenMl(which.to_owned())),
                _ => wrong("only names of ASCII letters, digits and `-_.()+` are looked up; give its number"),
            };
        }
        if let Some(number) = text.strip_prefix("uci:") {
            return number
                .trim()
                .parse()
                .map_or_else(|_| wrong("give its number, such as uci:275"), |it| Ok(Place::Uci(it)));
        }
        if is_bucket(text) {
            return wrong(
                "`noregret stream` reads files of a bucket; here, give an https:// address (`aws s3 presign` signs one)",
            );
        }
        if is_address(text) {
            return Ok(Place::Address(text.to_owned()));
        }
        Ok(Place::File(PathBuf::from(text)))
    }
}

/// Where the servers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Servers {
    /// OpenML.
    pub openml: String,
    /// The UCI repository.
    pub uci: String,
}

impl Default for Servers {
    fn default() -> Self {
        Self { openml: "https://www.openml.org".into(), uci: "https://archive.ics.uci.edu".into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart() {
        let read = |text: &str| Place::parse(text).ok();
        assert_eq!(read("openml:61"), Some(Place::OpenMl("61".into())));
        assert_eq!(read("openml:credit-g"), Some(Place::OpenMl("credit-g".into())));
        assert_eq!(read("uci:275"), Some(Place::Uci(275)));
        assert_eq!(read("HTTPS://example.org/a.csv"), Some(Place::Address("HTTPS://example.org/a.csv".into())));
        for file in ["a.csv", "./openml:61", "ftp://example.org/a.csv", "öpenml:1"] {
            assert_eq!(read(file), Some(Place::File(file.into())), "{file}");
        }
        for wrong in ["openml:", "openml:a/../b", "openml:a b", "openml:é", "uci:", "uci:bike", "uci:-1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
