//! The files that a dataset is downloaded from.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file to download.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoteFile {
    /// Its upstream name, which it has in mirrors and under data/raw.
    pub name: String,
    /// The folder of a mirror that has it, where that is not the mirror itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Addresses to download it from, tried in order; none if only mirrors have it. From an archive (zip, as wheels of
    /// Python are, or tar.gz), `member` is extracted.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// The member of an archive, by its path there or the last part of it; None means `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// How many bytes a download may have, where its rows do not tell: those of other columns and of other members count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its number of rows. It may be omitted if this is the only file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// The content hash of its rows alone. It may be omitted if this is the only file, or if the dataset has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
}

impl RemoteFile {
    /// The file in a mirror, in its folder there or in the mirror itself.
    pub fn in_mirror(&self, mirror: &Path) -> Option<PathBuf> {
        let folder = self.folder.iter().map(|folder| mirror.join(folder));
        folder.chain([mirror.to_owned()]).map(|folder| folder.join(&self.name)).find(|path| path.is_file())
    }

    /// Its name, with its folder in mirrors.
    pub(crate) fn name_in_mirrors(&self) -> String {
        self.folder.as_ref().map_or_else(|| self.name.clone(), |folder| format!("{folder}/{}", self.name))
    }
}

/// Refuses what is no content hash.
pub(crate) fn check_hash(hash: &str) -> Result<(), String> {
    if hash.len() != 64 || !hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(format!("`content_sha256` = `{hash}`: 64 lower-case hexadecimal digits are expected"));
    }
    Ok(())
}

/// Refuses files whose names, hashes or rows do not fit a dataset of `rows` rows.
pub(crate) fn check_files(files: &[RemoteFile], rows: u64, pinned: bool) -> Result<(), String> {
    if files.is_empty() {
        return Err("`files` must list at least one file".into());
    }
    for (i, file) in files.iter().enumerate() {
        // The name becomes a path under data/raw, the folder one in a mirror, and neither must leave that folder.
        let plain = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
        for (name, what) in [(Some(&file.name), "file name"), (file.folder.as_ref(), "name of a folder")] {
            if let Some(name) = name.filter(|name| !plain(name)) {
                return Err(format!("`files`: `{name}` is not a plain {what}"));
            }
        }
        if files[..i].iter().any(|other| other.name == file.name) {
            return Err(format!("`files`: `{}` is listed twice", file.name));
        }
        if let Some(hash) = &file.content_sha256 {
            check_hash(hash)?;
        }
    }
    if pinned && files.len() > 1 && files.iter().any(|file| file.content_sha256.is_none()) {
        return Err("`files`: the dataset has a `content_sha256`, so each of several files must have one too".into());
    }
    // A single file has the rows of the dataset. Several files must each state theirs, so that a damaged one is found.
    let total = match files {
        [only] => Some(only.rows.unwrap_or(rows)),
        _ => files.iter().try_fold(0_u64, |total, file| Some(total.saturating_add(file.rows?))),
    };
    match total {
        Some(total) if total == rows => Ok(()),
        Some(total) => Err(format!("`files` have {total} rows in all, but `rows` is {rows}")),
        None => Err("`files`: each of several files must have `rows`".into()),
    }
}
