//! Asks a server that answers in JSON.

use serde_json::Value;

use crate::download::{Download, DownloadError, Network};
use crate::error::{DataError, excerpt};
use crate::fetch::{FetchAccess, FetchError};
use crate::files::io_error;

/// The longest answer, in bytes: tables of hundreds of thousands of columns are described in it.
const MOST: u64 = 1 << 28;

/// What a dataset that cannot be had is worth: its file, by other means.
const REMEDY: &str = "try again later, or get its file yourself and give that to `noregret data add`";

/// A server that is asked about one dataset.
pub(super) struct Inquiry<'a> {
    /// What the user calls the dataset.
    pub(super) source: &'a str,
    pub(super) access: &'a FetchAccess<'a>,
}

impl Inquiry<'_> {
    /// The network, which is needed.
    pub(super) fn network(&self, address: &str) -> Result<&Network, FetchError> {
        self.access.network.as_ref().ok_or_else(|| self.unavailable(vec![(address.to_owned(), "offline".into())]))
    }

    /// The error that nothing could be had.
    pub(super) fn unavailable(&self, tried: Vec<(String, String)>) -> FetchError {
        let remedy = match self.access.network {
            Some(_) => REMEDY.into(),
            None => "allow the network, or get its file yourself and give that to `noregret data add`".into(),
        };
        FetchError::Unavailable { dataset: self.source.to_owned(), tried, remedy }
    }

    /// The error that what the server says cannot be used.
    pub(super) fn wrong(&self, detail: String) -> FetchError {
        FetchError::Local(DataError::Server { source_name: self.source.to_owned(), detail })
    }

    /// The JSON at an address. `complaint` finds what is said in the place of data.
    pub(super) fn ask(&self, address: &str, complaint: fn(&Value) -> Option<String>) -> Result<Value, FetchError> {
        let network = self.network(address)?;
        let folder = tempfile::tempdir().map_err(io_error(&std::env::temp_dir(), "make a folder there"))?;
        let part = folder.path().join("answer.json");
        let (say, interrupted) = (|line: &str| (self.access.report)(line), self.access.interrupted);
        let bound = "a description needs";
        let download = Download { address, part: &part, most: MOST, bound, network, say: &say, interrupted };
        let failed = |why: String| Err(self.unavailable(vec![(address.to_owned(), why)]));
        match download.run() {
            Ok(()) => {}
            Err(DownloadError::Interrupted) => return Err(FetchError::Interrupted),
            Err(DownloadError::Local(error)) => return Err(error.into()),
            Err(DownloadError::Refused(why) | DownloadError::Unreachable(why)) => return failed(why),
            Err(DownloadError::Status(status, said)) => {
                let said = serde_json::from_str(&said).ok().as_ref().and_then(complaint);
                return match said {
                    Some(said) => Err(self.wrong(format!("the server says: {said} (HTTP status {status}, {address})"))),
                    None => failed(format!("HTTP status {status}")),
                };
            }
        }
        let text = std::fs::read(&part).map_err(io_error(&part, "read it"))?;
        let answer: Value = serde_json::from_slice(&text).map_err(|error| {
            let beginning = excerpt(text.trim_ascii());
            self.wrong(format!(
                "the answer of {address} is no JSON: {error} (it begins {beginning:?}); try again later"
            ))
        })?;
        match complaint(&answer) {
            Some(said) => Err(self.wrong(format!("the server says: {said} ({address})"))),
            None => Ok(answer),
        }
    }

    /// The error that an answer lacks something.
    pub(super) fn lacks(&self, address: &str, what: &str) -> FetchError {
        self.wrong(format!("the answer of {address} has no `{what}`, which its documentation promises"))
    }
}

/// A number or a text as text; None where there is nothing.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A list of texts, which may also be a single one.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    }
}
