//! Writes files so that they appear under their names only when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::DataError;
use noregret_platform::files::{open_no_link, sync_folder};

/// An error of the operating system about `path`.
pub(crate) fn io_error(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> DataError {
    let file = path.display().to_string();
    move |source| DataError::Io { file, doing, source }
}

/// Creates a file of ours that is not yet under its final name. What stands under its name, which may be a symbolic
/// link, is removed and never written to.
pub(crate) fn create(path: &Path) -> Result<File, DataError> {
    remove(path)?;
    File::create_new(path).map_err(io_error(path, "create it"))
}

/// Opens a file of ours for writing, where `options` say how. A symbolic link is refused.
pub(crate) fn open_own(path: &Path, options: &mut OpenOptions) -> Result<File, DataError> {
    open_no_link(path, options.write(true)).map_err(|error| {
        let link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let error = if link { io::Error::other("it is a symbolic link; remove it") } else { error };
        io_error(path, "open it")(error)
    })
}

/// `path` with `.suffix` appended to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// Syncs the complete file `temporary` and renames it to `path`, so that it is complete even after a power cut.
pub(crate) fn publish(temporary: &Path, path: &Path) -> Result<(), DataError> {
    let write = || -> io::Result<()> {
        File::open(temporary)?.sync_all()?;
        fs::rename(temporary, path)?;
        match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
            _ => Ok(()),
        }
    };
    write().map_err(io_error(path, "put it in place"))
}

/// Writes a small file atomically, creating its folder.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io_error(folder, "create it"))?;
    }
    let temporary = beside(path, "tmp");
    create(&temporary)?.write_all(bytes).map_err(io_error(&temporary, "write it"))?;
    publish(&temporary, path)
}

/// Removes a file, if it exists.
pub fn remove(path: &Path) -> Result<(), DataError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(path, "remove it")(error)),
        _ => Ok(()),
    }
}

/// Size in bytes and SHA-256 (hexadecimal) of a file.
pub fn fingerprint(path: &Path) -> Result<(u64, String), DataError> {
    let read = || -> io::Result<(u64, String)> {
        let mut file = File::open(path)?;
        let (mut hash, mut size) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok((size, hex::encode(hash.finalize()))),
                length => {
                    hash.update(&buffer[..length]);
                    size += length as u64;
                }
            }
        }
    };
    read().map_err(io_error(path, "read it"))
}
