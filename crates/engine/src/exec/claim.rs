//! Claims: which process makes an item. They are advisory locks, which the operating system releases when a process
//! dies. A claim file that nobody has locked means nothing.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::exec::scratch::same_file;
use crate::exec::store::{Store, StoreError};
use crate::plan::key::hex;
use crate::plan::work::Digest;

/// The right to make an item; it ends when this is dropped.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _lock: File,
}

impl Claim {
    /// Claims the item under `key`; `None` if another process has claimed it.
    pub fn take(store: &Store, key: &Digest) -> Result<Option<Self>, StoreError> {
        Self::lock(store, key, false)
    }

    /// Claims the item under `key`, waiting while another process has it.
    pub(crate) fn wait(store: &Store, key: &Digest) -> Result<Option<Self>, StoreError> {
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
            // The previous owner may have removed the file that is now locked: the lock counts only if the name still
            // leads to this file.
            if same_file(&file, &path) {
                return Ok(Some(Self { path, _lock: file }));
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Removed before the lock is released. If this fails, the next claim takes the file over.
        let _ = fs::remove_file(&self.path);
    }
}
