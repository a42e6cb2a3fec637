//! Linux and macOS.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Access, FileType, OFlags, access};
use signal_hook::consts::{SIGUSR1, SIGXFSZ};
use signal_hook::iterator::Signals;

pub(crate) const WARNING: i32 = SIGUSR1;

pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

pub(crate) fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    let (open, named) = (file.metadata()?, path.metadata()?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

pub(crate) fn make_read_only(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o444))
}

pub(crate) fn open_no_link(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)
}

pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    file.read_exact_at(bytes, start)
}

pub(crate) fn state(meta: &Metadata) -> String {
    let (modified, changed) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    format!("{} {}.{:09} {}.{:09} {}", meta.len(), modified.0, modified.1, changed.0, changed.1, meta.ino())
}

pub(crate) fn changed(meta: &Metadata) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(meta.ctime().try_into().unwrap_or(0))
}

pub(crate) fn may_execute(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

pub(crate) fn is_input_a_pipe() -> bool {
    rustix::fs::fstat(io::stdin()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile)
}

pub(crate) fn input_file() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

pub(crate) fn address_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

pub(crate) fn clock_ticks() -> u64 {
    rustix::param::clock_ticks_per_second()
}

pub(crate) fn note_warnings(noted: &Arc<AtomicUsize>) -> io::Result<()> {
    signal_hook::flag::register_usize(WARNING, noted.clone(), WARNING.unsigned_abs() as usize).map(drop)
}

/// What waits for the first of the signals.
pub(crate) fn first(signals: [i32; 2]) -> io::Result<impl FnOnce() -> Option<i32> + Send> {
    let mut signals = Signals::new(signals)?;
    Ok(move || signals.forever().next())
}

pub(crate) fn catch_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}
