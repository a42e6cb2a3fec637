//! Leases: which process makes an item. A process holds a file for it, and the operating system lets go of the file when
//! the process dies. A file that nobody holds means nothing.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use noregret_platform::files::is_same;

use crate::exec::store::{ResultStore, StoreError};
use crate::plan::key::hex;
use crate::plan::work::Digest;

/// The right to make an item; it ends when this is dropped.
#[derive(Debug)]
pub struct Lease {
    path: PathBuf,
    held: Option<HeldFile>,
    leases: Option<Arc<Leases>>,
}

/// A file that this process holds, and where it is when no lease needs it.
#[derive(Debug)]
struct HeldFile {
    file: File,
    home: PathBuf,
}

/// Files for the leases of a process that needs many, one after the other. A lease is a second name of one of them: file
/// systems give and remove names faster than files.
#[derive(Debug)]
pub(crate) struct Leases {
    folder: PathBuf,
    next: AtomicU64,
    free: Mutex<Vec<HeldFile>>,
}

/// How often it is seen whether a lease that is waited for has ended. To wait for the file would not do, because its owner
/// holds it longer than the lease.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

impl Leases {
    /// With files in this folder, which is that of the process.
    pub(crate) fn new(folder: PathBuf) -> Arc<Self> {
        Arc::new(Self { folder, next: AtomicU64::new(0), free: Mutex::default() })
    }

    fn file(&self) -> Result<HeldFile, StoreError> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(free) = free {
            return Ok(free);
        }
        let home = self.folder.join(format!("lease-{}", self.next.fetch_add(1, Ordering::Relaxed)));
        let file = File::options().write(true).create_new(true).open(&home).map_err(StoreError::at("create", &home))?;
        file.lock().map_err(StoreError::at("lock", &home))?;
        Ok(HeldFile { file, home })
    }

    fn put_back(&self, file: HeldFile) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    /// Leases the item under `key`; `None` if another process has it.
    pub(crate) fn take(self: &Arc<Self>, store: &ResultStore, key: &Digest) -> Result<Option<Lease>, StoreError> {
        let Ok(held) = self.file() else { return Lease::take(store, key) };
        let path = store.folder("claims").join(hex(key));
        // A server may have done it, and say on being asked again that it was done.
        if fs::hard_link(&held.home, &path).is_ok() || is_same(&held.file, &path) {
            return Ok(Some(Lease { path, held: Some(held), leases: Some(Arc::clone(self)) }));
        }
        // Somebody has it or had it, the folder is new, or the file system knows no second names.
        self.put_back(held);
        Lease::take(store, key)
    }
}

impl Lease {
    /// Leases the item under `key`; `None` if another process has it.
    pub fn take(store: &ResultStore, key: &Digest) -> Result<Option<Self>, StoreError> {
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
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(StoreError::at("lock", &path)(error)),
            }
            // The previous owner may have removed the file that is now held: the lease counts only if the name still leads
            // to this file.
            if is_same(&file, &path) {
                let held = HeldFile { file, home: path.clone() };
                return Ok(Some(Self { path, held: Some(held), leases: None }));
            }
        }
    }

    /// Leases the item under `key`, waiting while another process has it.
    pub(crate) fn wait(store: &ResultStore, key: &Digest) -> Result<Self, StoreError> {
        loop {
            match Self::take(store, key)? {
                Some(lease) => return Ok(lease),
                None => thread::sleep(LOOK_AGAIN),
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Removed before the file is let go. If this fails, the next lease takes the file over.
        let removed = fs::remove_file(&self.path);
        if let (Ok(()), Some(leases), Some(held)) = (removed, &self.leases, self.held.take()) {
            leases.put_back(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_leased_once_and_again_when_the_lease_has_ended() -> Result<(), StoreError> {
        let folder = tempfile::tempdir().expect("a folder");
        let store = ResultStore::new(folder.path());
        let many = || Leases::new(tempfile::tempdir_in(folder.path()).expect("a folder").keep());
        let (one, other) = (many(), many());
        for round in 0..3 {
            let leases = [one.take(&store, &[1; 32])?, one.take(&store, &[2; 32])?];
            assert!(leases.iter().all(Option::is_some), "{round}");
            assert!(other.take(&store, &[1; 32])?.is_none() && one.take(&store, &[2; 32])?.is_none());
            assert!(Lease::take(&store, &[1; 32])?.is_none());
            drop(leases);
            let alone = Lease::take(&store, &[1; 32])?;
            assert!(alone.is_some() && other.take(&store, &[1; 32])?.is_none());
        }
        assert_eq!(fs::read_dir(&one.folder).expect("a folder").count(), 3, "the files are used again");
        Ok(())
    }

    #[test]
    fn what_the_dead_have_left_is_taken_over() -> Result<(), StoreError> {
        let folder = tempfile::tempdir().expect("a folder");
        let store = ResultStore::new(folder.path());
        drop(Lease::take(&store, &[0; 32])?);
        let dead = Leases::new(tempfile::tempdir_in(folder.path()).expect("a folder").keep());
        let lease = dead.take(&store, &[1; 32])?.expect("nobody has it");
        let path = lease.path.clone();
        // As after a kill: the name is there, and the file is held by nobody.
        let mut lease = lease;
        drop(lease.held.take());
        std::mem::forget(lease);
        assert!(path.is_file());
        assert!(Lease::take(&store, &[1; 32])?.is_some());
        assert!(!path.exists());
        Ok(())
    }
}
