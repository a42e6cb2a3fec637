//! Who uses a store. Whatever reads or writes results in order to make others shares it; what removes results (`gc`,
//! `clean`) has it alone. Both hold a file, `results/store/tenancy`, and the hold ends
//! with its process.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use crate::exec::store::{ResultStore, StoreError, names};

/// Why a store cannot be had alone.
#[derive(Debug, thiserror::Error)]
pub enum AloneError {
    /// A run is in progress: it may be about to use what would be removed.
    #[error("a run is in progress in this project; try again when it is over")]
    Busy,
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A share in a store: as long as it lives, nothing is removed by others.
#[derive(Debug)]
pub(crate) struct Share {
    _held: Option<File>,
}

/// A store that no other process uses.
#[derive(Debug)]
pub(crate) struct Alone {
    _held: File,
}

const FILE: &str = "tenancy";

/// The ending of the files that the owners of folders in `results/store/tmp` hold.
pub(crate) const HELD: &str = ".lock";

impl Share {
    /// A share for reading. It writes nothing: a store without the file, or one that cannot be held, is shared
    /// without a hold.
    pub(crate) fn to_read(store: &ResultStore) -> Self {
        let file = File::open(store.folder(FILE)).ok();
        Self { _held: file.filter(|file| file.lock_shared().is_ok()) }
    }

    /// A share for writing, after waiting for whoever has the store alone.
    pub(crate) fn to_write(store: &ResultStore) -> Result<Self, StoreError> {
        let path = store.folder(FILE);
        let file = open(store)?;
        loop {
            match file.lock_shared() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => {
                    other.map_err(StoreError::at("lock", &path))?;
                    return Ok(Self { _held: Some(file) });
                }
            }
        }
    }
}

impl Alone {
    /// Takes the store, unless anyone shares it.
    pub(crate) fn take(store: &ResultStore) -> Result<Self, AloneError> {
        let file = open(store)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(AloneError::Busy),
            Err(TryLockError::Error(error)) => return Err(StoreError::at("lock", &store.folder(FILE))(error).into()),
            Ok(()) => {}
        }
        // Runs of earlier versions hold the files of their folders only.
        if anyone_alive(&store.folder("tmp"))? { Err(AloneError::Busy) } else { Ok(Self { _held: file }) }
    }

    /// The share that lets its owner write.
    pub(crate) fn share(&self) -> Share {
        Share { _held: None }
    }
}

/// Whether a living process owns a folder in `all`.
pub(crate) fn anyone_alive(all: &Path) -> Result<bool, StoreError> {
    let held = |name: &String| {
        let file = File::options().write(true).open(all.join(name));
        name.ends_with(HELD) && file.is_ok_and(|file| file.try_lock().is_err())
    };
    Ok(names(all)?.iter().any(held))
}

/// The file that is held, open for reading and writing, since NFS asks for both.
fn open(store: &ResultStore) -> Result<File, StoreError> {
    let (folder, path) = (store.folder(""), store.folder(FILE));
    fs::create_dir_all(&folder).map_err(StoreError::at("create", &folder))?;
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    file.map_err(StoreError::at("open", &path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_shared_is_not_had_alone() -> Result<(), AloneError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path());
        let reader = Share::to_read(&store);
        assert!(!store.folder("").exists(), "reading writes nothing");
        let writer = Share::to_write(&store)?;
        assert!(matches!(Alone::take(&store), Err(AloneError::Busy)));
        drop((reader, writer));
        let alone = Alone::take(&store)?;
        assert!(matches!(Alone::take(&store), Err(AloneError::Busy)));
        drop(alone);
        let reader = Share::to_read(&store);
        assert!(matches!(Alone::take(&store), Err(AloneError::Busy)), "a run that is planning counts");
        drop(reader);
        Alone::take(&store).map(drop)
    }
}
