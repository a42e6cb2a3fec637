//! Leases: which process makes an item. A process holds a file for it, and the operating system lets go of the file when
//! the process dies. A file that nobody holds means nothing.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;

use noregret_platform::files::is_same;

use crate::exec::store::{ResultStore, StoreError};
use crate::plan::key::hex;
use crate::plan::work::Digest;

/// The right to make an item; it ends when this is dropped.
#[derive(Debug)]
pub struct Lease {
    path: PathBuf,
    _held: File,
}

impl Lease {
    /// Leases the item under `key`; `None` if another process has it.
    pub fn take(store: &ResultStore, key: &Digest) -> Result<Option<Self>, StoreError> {
        Self::hold(store, key, false)
    }

    /// Leases the item under `key`, waiting while another process has it.
    pub(crate) fn wait(store: &ResultStore, key: &Digest) -> Result<Option<Self>, StoreError> {
        Self::hold(store, key, true)
    }

    fn hold(store: &ResultStore, key: &Digest, wait: bool) -> Result<Option<Self>, StoreError> {
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
            // The previous owner may have removed the file that is now held: the lease counts only if the name still leads
            // to this file.
            if is_same(&file, &path) {
                return Ok(Some(Self { path, _held: file }));
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Removed before the file is let go. If this fails, the next lease takes the file over.
        let _ = fs::remove_file(&self.path);
    }
}
