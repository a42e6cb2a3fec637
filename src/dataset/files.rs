//! Writes files so that they appear under their names only when they are complete.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::dataset::error::DataError;

/// An error of the operating system about `path`.
pub fn io_error(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> DataError {
    let file = path.display().to_string();
    move |source| DataError::Io { file, doing, source }
}

/// `path` with `.suffix` appended to its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// Syncs the complete file `temporary` and renames it to `path`, so that it is complete even after a power cut.
pub fn publish(temporary: &Path, path: &Path) -> Result<(), DataError> {
    let write = || -> io::Result<()> {
        File::open(temporary)?.sync_all()?;
        fs::rename(temporary, path)?;
        match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
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
    File::create(&temporary).and_then(|mut file| file.write_all(bytes)).map_err(io_error(&temporary, "write it"))?;
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
