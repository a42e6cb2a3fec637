//! Objects: their names, what is wrong when one cannot be read, and errors of the file system.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::plan::key::{hex, unhex};
use crate::plan::sources::{ContentDigest, Sources, content_of};
use crate::plan::work::Digest;

/// An error of the file system, which says what was being done, to which file, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {source}{}", .path.display(), remedy(.source))]
pub struct StoreError {
    /// What was being done, as a verb: `write`.
    pub(crate) doing: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl StoreError {
    /// For `map_err`.
    pub(crate) fn at<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self { doing, path: path.to_owned(), source }
    }

    /// What was read of `path`; None if it is not there.
    pub(crate) fn if_there<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>, Self> {
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            other => other.map(Some).map_err(Self::at("read", path)),
        }
    }

    /// Whether any further write will fail as well, so that there is no point in going on.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(
            self.source.kind(),
            ErrorKind::StorageFull
                | ErrorKind::QuotaExceeded
                | ErrorKind::ReadOnlyFilesystem
                | ErrorKind::PermissionDenied
                | ErrorKind::FileTooLarge
        )
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; free some space and run the same command again",
        ErrorKind::FileTooLarge => "; raise the file-size limit (ulimit -f) and run the same command again",
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
            "; see that this user may read and write it, and run the same command again"
        }
        ErrorKind::Unsupported => "; the file system must support locks (NFS 4, Lustre mounted with -o flock)",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "; a file is where a folder should be: move it away and run the same command again"
        }
        _ => "",
    }
}

/// The parts of an object's file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The key.
    pub key: Digest,
    /// The first 16 bytes of the SHA-256 of its bytes.
    pub content: ContentDigest,
    /// What it was made from.
    pub sources: Sources,
}

impl ObjectName {
    /// Reads `<key>.<content>.<sources>.<extension>`, or the same without sources.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.splitn(3, '.');
        let key = unhex(parts.next()?)?;
        let content = unhex(parts.next()?)?;
        let sources = parts.next()?.split_once('.').and_then(|(sources, _)| Sources::parse(sources));
        Some(Self { key, content, sources: sources.unwrap_or_default() })
    }

    /// The name of an object that was made from `sources`.
    pub fn format(key: &Digest, bytes: &[u8], sources: &Sources, extension: &str) -> String {
        let mut parts = vec![hex(key), hex(content_of(bytes))];
        if !sources.is_empty() {
            parts.push(sources.words().concat());
        }
        parts.push(extension.to_owned());
        parts.join(".")
    }

    /// The modification time of an untouched object: 2000-01-01 plus the first 28 bits of its content, in seconds.
    /// Whatever writes to the file, or copies it without its times, changes it, and then the file is hashed again.
    pub fn seal(&self) -> SystemTime {
        seal(&self.content)
    }

    /// Whether these are the bytes that were stored.
    pub(crate) fn matches(&self, bytes: &[u8]) -> bool {
        content_of(bytes) == self.content
    }
}

/// The modification time of an untouched file with this digest.
pub(crate) fn seal(digest: &[u8]) -> SystemTime {
    let word = digest.iter().take(4).fold(0, |word, byte| word << 8 | u64::from(*byte));
    UNIX_EPOCH + Duration::from_secs(946_684_800 + (word >> 4))
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// It is gone, or its bytes are not those that were stored.
    #[error("{} is {}", .path.display(), if *.gone { "gone" } else { "damaged" })]
    Damaged {
        /// Its file.
        path: PathBuf,
        /// Whether there is no file at all.
        gone: bool,
    },
    /// It could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The names in a folder, in no particular order; none if it does not exist. Hidden files are not ours: editors and
/// other systems put them there.
pub fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::at("list", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::at("list", folder))?;
        names.extend(entry.file_name().into_string().ok().filter(|name| !name.starts_with('.')));
    }
    Ok(names)
}
