//! Files that do not outlive the process, or only under another name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use noregret_platform::files::{is_same, replace, take};

/// What is said of a file that another process writes.
pub(super) const OTHER: &str = "another stream writes to it: end that one first, or name another --output and --save";

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

    /// Gives it its final name, and the permissions of the file that it replaces.
    pub(super) fn publish(mut self, path: &Path) -> io::Result<()> {
        replace(&self.path, path)?;
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

/// That this process alone replaces a file, as long as it is there: a locked file beside it, which is removed when this is
/// dropped.
#[derive(Debug)]
pub(super) struct FileClaim {
    path: PathBuf,
    _held: File,
}

impl FileClaim {
    /// The claim on `target`; None if another process has it.
    pub(super) fn on(target: &Path) -> io::Result<Option<Self>> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = target.with_file_name(format!(".{name}.lock"));
        loop {
            let held = OpenOptions::new().create(true).append(true).open(&path)?;
            if !take(&held) {
                return Ok(None);
            }
            // Else the process that had it removed the file after it was opened here.
            if is_same(&held, &path) {
                return Ok(Some(Self { path, _held: held }));
            }
        }
    }
}

impl Drop for FileClaim {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_claimed_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let claim = FileClaim::on(&one).unwrap();
        assert!(claim.is_some() && FileClaim::on(&one).unwrap().is_none() && FileClaim::on(&other).unwrap().is_some());
        drop(claim);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(FileClaim::on(&one).unwrap().is_some());
    }
}
