//! Files.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::system;

/// Waits until the names in a folder are on the disk. Windows cannot be asked for that, and puts them there by itself.
///
/// # Errors
/// The folder cannot be opened or synced.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    system::sync_folder(folder)
}

/// Renames a file to `target`. Where that replaces a file, its permissions stay.
///
/// # Errors
/// As [`std::fs::rename`].
pub fn replace(file: &Path, target: &Path) -> io::Result<()> {
    if let Ok(replaced) = fs::metadata(target) {
        fs::set_permissions(file, replaced.permissions())?;
    }
    fs::rename(file, target)
}

/// Whether `path` leads to this open file, by any of its names.
pub fn is_same(file: &File, path: &Path) -> bool {
    system::is_same(file, path).unwrap_or(false)
}

/// Takes an open file for this process alone, until it is closed; false if another process has it. Where the system has no
/// locks, nobody knows, and it is taken.
pub fn take(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Makes a file read-only for everybody; who may read it does not depend on the user's settings where a system has some.
///
/// # Errors
/// The system refuses.
pub fn make_read_only(file: &File) -> io::Result<()> {
    system::make_read_only(file)
}

/// Opens a file as `options` say. A symbolic link is not followed.
///
/// # Errors
/// It cannot be opened, or is a symbolic link.
pub fn open_no_link(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    system::open_no_link(path, options)
}

/// Fills `bytes` with those of the file from `start` on. The place at which it is read or written next stays.
///
/// # Errors
/// There are not as many, or they cannot be read.
pub fn read_exact_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    system::read_exact_at(file, bytes, start)
}

/// The modification time in nanoseconds since 1970.
pub fn modified(meta: &Metadata) -> i64 {
    let nanoseconds = |time: std::time::Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    meta.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanoseconds(after),
        Err(before) => -nanoseconds(before.duration()),
    })
}

/// Words that change whenever a file is written to or replaced. Its size and modification time may be kept, or set to
/// what they were; the time at which the system last changed it may not. Windows does not tell that one: there, a writer that
/// keeps the size and sets the modification time back goes unnoticed.
pub fn state(meta: &Metadata) -> String {
    system::state(meta)
}

/// When the system last changed a file or what it knows of it, as far as it tells.
pub fn changed(meta: &Metadata) -> SystemTime {
    system::changed(meta)
}

/// Whether a file may be executed.
pub fn is_executable(path: &Path) -> bool {
    path.is_file() && system::may_execute(path)
}

/// Whether standard input is a pipe, a socket or a terminal, and no file.
pub fn is_input_a_pipe() -> bool {
    system::is_input_a_pipe()
}

/// Whether standard input is the file that `path` leads to.
pub fn is_input_file(path: &Path) -> bool {
    let input = system::input_file().ok().filter(|input| input.metadata().is_ok_and(|meta| meta.is_file()));
    input.is_some_and(|input| is_same(&input, path))
}

/// A file that is gone when the process is, and the path by which it can be opened as often as it takes. On Linux it has no
/// name at all; elsewhere a process that is killed leaves it in the folder for temporary files.
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    path: PathBuf,
    _named: Option<tempfile::TempPath>,
}

impl TemporaryFile {
    /// An empty one in this folder.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd as _;
            let file = tempfile::tempfile_in(folder)?;
            let path = format!("/proc/self/fd/{}", file.as_raw_fd()).into();
            Ok(Self { file, path, _named: None })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let (file, named) = tempfile::NamedTempFile::new_in(folder)?.into_parts();
            Ok(Self { file, path: named.to_path_buf(), _named: Some(named) })
        }
    }

    /// The file, open for reading and writing.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Where it can be opened from its beginning.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Read as _, Write as _};
    use std::time::Duration;

    #[test]
    fn a_file_is_known_by_all_of_its_names_and_no_other_is() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let file = File::create(at("a"))?;
        fs::hard_link(at("a"), at("b"))?;
        File::create(at("c"))?;
        assert!(is_same(&file, &at("a")) && is_same(&file, &at("b")));
        assert!(!is_same(&file, &at("c")) && !is_same(&file, &at("d")));
        fs::rename(at("c"), at("a"))?;
        assert!(!is_same(&file, &at("a")), "its name leads to another file now");
        Ok(())
    }

    #[test]
    fn reading_elsewhere_moves_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
        file.write_all(b"0123456789")?;
        let mut bytes = [0; 3];
        read_exact_at(&file, &mut bytes, 4)?;
        assert_eq!(&bytes, b"456");
        assert_eq!(read_exact_at(&file, &mut bytes, 8).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        file.write_all(b"x")?;
        drop(file);
        assert_eq!(fs::read(path)?, b"0123456789x");
        Ok(())
    }

    #[test]
    fn times_before_1970_are_times() -> io::Result<()> {
        let file = tempfile::tempfile()?;
        for nanoseconds in [1_234_567_891_500_000_000_i64, 0, -86_400_000_000_000] {
            let (time, before) = (Duration::from_nanos(nanoseconds.unsigned_abs()), nanoseconds < 0);
            file.set_modified(if before { UNIX_EPOCH - time } else { UNIX_EPOCH + time })?;
            assert_eq!(modified(&file.metadata()?), nanoseconds);
        }
        Ok(())
    }

    #[test]
    fn a_file_that_changes_has_another_state_though_its_times_are_put_back() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        fs::write(&path, "abc")?;
        let before = fs::metadata(&path)?;
        std::thread::sleep(Duration::from_millis(20));
        let mut file = File::options().write(true).open(&path)?;
        file.write_all(b"abd")?;
        file.set_modified(before.modified()?)?;
        let after = fs::metadata(&path)?;
        assert_eq!((before.len(), modified(&before)), (after.len(), modified(&after)));
        assert_eq!(state(&before) != state(&after), cfg!(unix));
        Ok(())
    }

    #[test]
    fn a_temporary_file_is_opened_as_often_as_it_takes_and_is_gone_afterwards() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let copy = TemporaryFile::create(folder.path())?;
        copy.file().write_all(b"rows")?;
        for _ in 0..2 {
            let mut text = String::new();
            File::open(copy.path())?.read_to_string(&mut text)?;
            assert_eq!(text, "rows");
        }
        drop(copy);
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused_and_files_of_the_store_can_be_read_by_all() -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let file = File::create(at("a"))?;
        std::os::unix::fs::symlink(at("a"), at("link"))?;
        assert!(open_no_link(&at("a"), File::options().write(true)).is_ok());
        assert!(open_no_link(&at("link"), File::options().write(true)).is_err());
        make_read_only(&file)?;
        assert_eq!(fs::metadata(at("a"))?.permissions().mode() & 0o777, 0o444);
        assert!(!is_executable(&at("a")) && is_executable(Path::new("/bin/sh")) && !is_executable(Path::new("/")));
        Ok(())
    }
}
