//! The files of losses that other programs reported, which figures and tables name.

use std::fs;
use std::path::{Component, Path};

use super::ConfigError;
use noregret_report::analysis::reported::{self, ReportedMean};

/// What the file `named` in the project folder `root` reports; nothing where none is named.
///
/// # Errors
/// A path that leaves the project, or a file that cannot be read or is wrong.
pub(super) fn read(root: &Path, named: Option<&str>) -> Result<Vec<ReportedMean>, ConfigError> {
    let Some(named) = named else { return Ok(Vec::new()) };
    if !Path::new(named).components().all(|part| matches!(part, Component::Normal(_))) {
        let why = "must be the path of a file in the project, such as `peers/streams.csv`";
        return Err(ConfigError::Specification(format!("`reported` = `{named}` {why}")));
    }
    let path = root.join(named);
    let shown = path.display().to_string();
    let text = fs::read_to_string(&path).map_err(|source| ConfigError::Unreadable { path: shown.clone(), source })?;
    reported::read(&text).map_err(|error| ConfigError::Malformed { path: shown, message: error.to_string() })
}
