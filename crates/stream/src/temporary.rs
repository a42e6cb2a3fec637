//! Files that do not outlive the process, or only under another name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file under a temporary name: removed when dropped, unless it was published before.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    published: bool,
}

impl Temporary {
    /// Creates a file that was not there before; its name begins with that of `like`, in the same folder.
    pub(super) fn create(like: &Path) -> io::Result<(Self, File)> {
        let name = like.file_name().unwrap_or_default().to_string_lossy();
        let mut attempt = 0u32;
        loop {
            let path = like.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Self { path, published: false }, file)),
                // Left behind by a process of the same number that was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1_000 => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives it its final name.
    pub(super) fn publish(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.published {
            // Nothing can be done about a file that cannot be removed.
            let _ = fs::remove_file(&self.path);
        }
    }
}
