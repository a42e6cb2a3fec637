//! Claims: who makes an item. Advisory locks, which the kernel releases when a process dies; a claim file without a
//! lock means nothing.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::exec::scratch::same_file;
use crate::exec::store::{Store, StoreError};
use crate::plan::key::hex;
use crate::plan::work::Digest;

/// The right to make an item, until dropped.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _lock: File,
}

impl Claim {
    /// Claims the item under `key`; `None` if someone else has it.
    pub fn take(store: &Store, key: &Digest) -> Result<Option<Self>, StoreError> {
        Self::lock(store, key, false)
    }

    /// Claims the item under `key`, waiting for whoever has it.
    pub fn wait(store: &Store, key: &Digest) -> Result<Option<Self>, StoreError> {
        Self::lock(store, key, true)
    }

    fn lock(store: &Store, key: &Digest, wait: bool) -> Result<Option<Self>, StoreError> {
        let folder = store.folder("claims");
        let path = folder.join(hex(key));
        loop {
            let file = match File::options().write(true).create(true).truncate(false).open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    fs::create_dir_all(&folder).map_err(StoreError::at("create", &folder))?;
                    continue;
                }
                other => other.map_err(StoreError::at("open", &path))?,
            };
            if wait {
                match file.lock() {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    other => other.map_err(StoreError::at("lock", &path))?,
                }
            } else {
                match file.try_lock() {
                    Ok(()) => {}
                    Err(TryLockError::WouldBlock) => return Ok(None),
                    Err(TryLockError::Error(error)) => return Err(StoreError::at("lock", &path)(error)),
                }
            }
            // Whoever had it before may have removed the file that is now locked; only the named file counts.
            if same_file(&file, &path) {
                return Ok(Some(Self { path, _lock: file }));
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Before the lock goes; a file that stays is taken over by the next claim.
        let _ = fs::remove_file(&self.path);
    }
}
