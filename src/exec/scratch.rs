//! Atomic writes: a temporary file on the same file system, synced, then renamed. Whoever dies while writing leaves
//! nothing but a folder that the next run removes.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exec::store::{ObjectName, Store, StoreError, names};
use crate::plan::work::Digest;

/// A folder for files being written, locked as long as this process lives.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    next: AtomicU64,
    _lock: File,
}

impl Scratch {
    /// Makes a folder for this process, and removes those of dead ones.
    pub fn open(store: &Store) -> Result<Self, StoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let all = store.folder("tmp");
        fs::create_dir_all(&all).map_err(StoreError::at("create", &all))?;
        remove_dead(&all)?;
        loop {
            let name = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let folder = all.join(name);
            match fs::create_dir(&folder) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(StoreError::at("create", &folder)(error)),
            }
            // Another process may take the folder for a dead one before it is locked, and remove it: then again.
            let Ok(lock) = File::open(&folder) else { continue };
            if lock.try_lock().is_ok() && same_file(&lock, &folder) {
                return Ok(Self { folder, next: AtomicU64::new(0), _lock: lock });
            }
        }
    }

    /// Stores an object; returns its file name.
    pub fn object(&self, store: &Store, key: &Digest, bytes: &[u8], extension: &str) -> Result<String, StoreError> {
        let name = ObjectName::format(key, bytes, extension);
        let target = store.object_path(&name);
        let seal = ObjectName::parse(&name).map(|parsed| parsed.seal());
        self.put(bytes, &target, |file| {
            if let Some(seal) = seal {
                file.set_modified(seal)?;
            }
            file.set_permissions(Permissions::from_mode(0o444))
        })?;
        Ok(name)
    }

    /// Writes a file under its final name, in one step. A file that has these bytes already stays as it is.
    pub fn publish(&self, bytes: &[u8], target: &Path) -> Result<(), StoreError> {
        if fs::metadata(target).is_ok_and(|meta| meta.len() == bytes.len() as u64)
            && fs::read(target).is_ok_and(|found| found == bytes)
        {
            return Ok(());
        }
        self.put(bytes, target, |_| Ok(()))
    }

    fn put(&self, bytes: &[u8], target: &Path, finish: impl FnOnce(&File) -> io::Result<()>) -> Result<(), StoreError> {
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(StoreError::at("create", folder))?;
        let mut temporary = self.folder.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        let written = write(&temporary, bytes, finish);
        let moved = written.and_then(|()| match fs::rename(&temporary, target) {
            // The target is on another file system: go by a hidden file beside it.
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                let beside = folder.join(format!(".noregret-{}", std::process::id()));
                fs::remove_file(&temporary)?;
                temporary = beside;
                write(&temporary, bytes, |_| Ok(()))?;
                fs::rename(&temporary, target)
            }
            other => other,
        });
        let synced = moved.and_then(|()| File::open(folder)?.sync_all());
        synced.map_err(|error| {
            // The error that matters is the one that is returned.
            let _ = fs::remove_file(&temporary);
            StoreError::at("write", target)(error)
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left here the next run removes.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn write(path: &Path, bytes: &[u8], finish: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    finish(&file)?;
    file.sync_all()
}

/// Removes the folders of processes that no longer hold their lock.
pub fn remove_dead(all: &Path) -> Result<(), StoreError> {
    for name in names(all)? {
        let folder = all.join(name);
        let Ok(lock) = File::open(&folder) else { continue };
        if lock.try_lock().is_ok() {
            match fs::remove_dir_all(&folder) {
                // Another run was faster.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                other => other.map_err(StoreError::at("remove", &folder))?,
            }
        }
    }
    Ok(())
}

/// Whether `path` still leads to the open file.
pub fn same_file(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}
