//! Atomic writes: a temporary file on the same file system is written, synced and renamed. A process that dies while
//! writing leaves only a folder, which the next run removes.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use noregret_platform::files::{is_same, make_read_only, modified, sync_folder};
use noregret_platform::machine::host_name;

use crate::exec::store::{ObjectName, ResultStore, StoreError, names};
use crate::exec::tenancy::{HELD, Share};

/// A folder for files that are being written. This process holds `<folder>.lock` for as long as it lives. The file is
/// open for writing, because NFS lets nothing else be held, and it lies beside the folder, because NFS keeps removed
/// files that are still open.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    next: AtomicU64,
    held: PathBuf,
    /// Whether a process of this machine had left such a folder behind.
    pub(super) followed_dead: bool,
    _file: File,
    _share: Share,
}

impl Scratch {
    /// Makes a folder for this process, and removes those of dead processes of this machine.
    pub fn open(store: &ResultStore) -> Result<Self, StoreError> {
        Self::with(store, Share::to_write(store)?)
    }

    /// The same, for whoever has a share in the store already.
    pub(crate) fn with(store: &ResultStore, share: Share) -> Result<Self, StoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let all = store.folder("tmp");
        fs::create_dir_all(&all).map_err(StoreError::at("create", &all))?;
        let host = host();
        let followed_dead = remove_dead(&all, Some(&host))?;
        loop {
            let name = format!("{host}.{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let folder = all.join(&name);
            let held = all.join(name + HELD);
            let file = match File::options().write(true).create_new(true).open(&held) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                other => other.map_err(StoreError::at("create", &held))?,
            };
            match file.try_lock() {
                Err(TryLockError::Error(error)) => return Err(StoreError::at("lock", &held)(error)),
                // Before the file is held, another process may take it for that of a dead process and remove it. Then
                // try again.
                Ok(()) if is_same(&file, &held) => {}
                _ => continue,
            }
            match fs::create_dir(&folder) {
                Ok(()) => {
                    let next = AtomicU64::new(0);
                    return Ok(Self { folder, next, held, followed_dead, _file: file, _share: share });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(StoreError::at("create", &folder)(error)),
            }
        }
    }

    /// Stores an object under its name, by itself.
    pub(crate) fn object(&self, store: &ResultStore, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let target = store.object_path(name);
        let seal = ObjectName::parse(name).map(|parsed| parsed.seal());
        let content = |mut file: &File| {
            file.write_all(bytes)?;
            if let Some(seal) = seal {
                file.set_modified(seal)?;
            }
            make_read_only(file)
        };
        self.publish_with(&content, &target).map(drop)
    }

    /// Writes a file under its final name, atomically. A file that already has these bytes is left alone. Returns the
    /// modification time that the file had when it held these bytes, in nanoseconds since 1970.
    pub(crate) fn publish(&self, bytes: &[u8], target: &Path) -> Result<i64, StoreError> {
        if let Ok(meta) = fs::metadata(target)
            && meta.len() == bytes.len() as u64
            && fs::read(target).is_ok_and(|found| found == bytes)
        {
            return Ok(modified(&meta));
        }
        self.publish_with(&|mut file| file.write_all(bytes), target)
    }

    /// The same for a file whose bytes are not held at once: `content` writes them, and may be called twice.
    pub(crate) fn publish_with(&self, content: WriteContent<'_>, target: &Path) -> Result<i64, StoreError> {
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(StoreError::at("create", folder))?;
        let number = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let mut temporary = self.folder.join(&number);
        let written = write(&temporary, content);
        let moved = written.and_then(|time| match fs::rename(&temporary, target) {
            // The target is on another file system, so write a hidden file beside it and rename that.
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                fs::remove_file(&temporary)?;
                self.sweep(folder);
                temporary = folder.join(format!("{BESIDE}{}-{number}", self.name()));
                let time = write(&temporary, content)?;
                fs::rename(&temporary, target).map(|()| time)
            }
            other => other.map(|()| time),
        });
        let synced = moved.and_then(|time| sync_folder(folder).map(|()| time));
        synced.map_err(|error| {
            // Only the error that is returned matters.
            let _ = fs::remove_file(&temporary);
            StoreError::at("write", target)(error)
        })
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of this process's folder, which no other living process has.
    pub(crate) fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Removes hidden files from a folder on another file system whose owners have died: their folders are gone. What
    /// cannot be removed is no harm.
    fn sweep(&self, folder: &Path) {
        for name in names(folder).unwrap_or_default() {
            let owner = name.strip_prefix(BESIDE).and_then(|rest| rest.rsplit_once('-')).map(|(owner, _)| owner);
            if owner.is_some_and(|owner| !self.folder.with_file_name(owner).exists()) {
                let _ = fs::remove_file(folder.join(name));
            }
        }
    }
}

/// The beginning of the names of files that are written beside their final names, on another file system.
const BESIDE: &str = ".noregret-";

impl Drop for Scratch {
    fn drop(&mut self) {
        // The next run removes what is left here. The held file is removed last, because a folder without one belongs
        // to nobody.
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_file(&self.held);
    }
}

/// A new file. What stands under its name, which may be a symbolic link, is removed and never written to.
fn create(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        other => other,
    }
}

/// What writes the content of a new file.
type WriteContent<'a> = &'a dyn Fn(&File) -> io::Result<()>;

/// Writes a file and syncs it; returns its modification time.
fn write(path: &Path, content: WriteContent<'_>) -> io::Result<i64> {
    let file = create(path)?;
    content(&file)?;
    file.sync_all()?;
    file.metadata().map(|meta| modified(&meta))
}

/// The machine's name, made fit for file names.
pub(crate) fn host() -> String {
    host_name().chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// Removes what processes have left that no longer hold their file; returns whether there was any such folder. If `host` is
/// given, only processes of that machine
/// count: on a file system where other machines do not see who holds a file, all processes of the others would look dead.
pub(crate) fn remove_dead(all: &Path, host: Option<&str>) -> Result<bool, StoreError> {
    // Whatever a symbolic link leads to would be taken for what the dead have left.
    if fs::symlink_metadata(all).is_ok_and(|meta| meta.is_symlink()) {
        let link =
            io::Error::other("it is a symbolic link, which is not followed; remove it and run the command again");
        return Err(StoreError::at("use", all)(link));
    }
    let mut dead = false;
    for name in names(all)? {
        if host.is_some_and(|host| name.split('.').next() != Some(host)) {
            continue;
        }
        let stem = name.strip_suffix(HELD).unwrap_or(&name);
        let (folder, held) = (all.join(stem), all.join(stem.to_owned() + HELD));
        // Held until everything is removed, so that an owner that is only just beginning notices.
        let _file = match File::options().write(true).open(&held) {
            Ok(file) if file.try_lock().is_ok() => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            _ => continue,
        };
        for (removed, path) in [(fs::remove_dir_all(&folder), &folder), (fs::remove_file(&held), &held)] {
            dead |= removed.is_ok() && path == &folder;
            match removed {
                // Another run was faster, or the file is not ours.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                other => other.map_err(StoreError::at("remove", path))?,
            }
        }
    }
    Ok(dead)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::exec::tenancy::anyone_alive;

    #[test]
    fn symbolic_links_are_not_followed() -> Result<(), StoreError> {
        let root = tempfile::tempdir().expect("a temporary folder");
        let (store, victim) = (ResultStore::new(root.path().join("project")), root.path().join("victim"));
        fs::write(&victim, "precious").expect("a file");
        let scratch = Scratch::open(&store)?;
        symlink(&victim, scratch.folder.join("0")).expect("a link");
        let target = store.root().join("results/a");
        scratch.publish(b"made", &target)?;
        assert_eq!((fs::read(&victim).ok(), fs::read(&target).ok()), (Some(b"precious".into()), Some(b"made".into())));
        drop(scratch);
        fs::remove_dir_all(store.folder("tmp")).expect("the folder is empty");
        let elsewhere = root.path().join("elsewhere");
        fs::create_dir_all(elsewhere.join("deep")).expect("a folder");
        symlink(&elsewhere, store.folder("tmp")).expect("a link");
        let refused = remove_dead(&store.folder("tmp"), None).expect_err("a link is not followed").to_string();
        assert!(refused.contains("store/tmp: it is a symbolic link"), "{refused}");
        assert!(Scratch::open(&store).is_err() && elsewhere.join("deep").exists());
        Ok(())
    }

    #[test]
    fn folders_of_the_dead_go_those_of_the_living_and_of_other_machines_stay() -> Result<(), StoreError> {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(root.path());
        let all = store.folder("tmp");
        let living = Scratch::open(&store)?;
        let dead = format!("{}.1-0", host());
        for name in [&*dead, "elsewhere.1-0"] {
            fs::create_dir_all(all.join(name).join("deep")).expect("a folder");
            fs::write(all.join(name.to_owned() + HELD), "").expect("a lock");
        }
        let left = || names(&all).map(|names| names.len() / 2);
        assert!(anyone_alive(&all)?);
        let second = Scratch::open(&store)?;
        assert!(!living.followed_dead && second.followed_dead);
        assert!(!all.join(&dead).exists() && all.join("elsewhere.1-0").exists() && living.folder.exists());
        assert_eq!(left()?, 3);
        remove_dead(&all, None)?;
        assert_eq!(left()?, 2);
        drop((living, second));
        assert!(!anyone_alive(&all)?);
        assert_eq!(names(&all)?.len(), 0);
        Ok(())
    }
}
