//! Windows.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::windows::io::AsHandle as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use same_file::Handle;

pub(crate) const WARNING: i32 = 10;

/// Opens a link itself: FILE_FLAG_OPEN_REPARSE_POINT.
const OF_LINK: u32 = 0x0020_0000;

pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    Ok(Handle::from_file(file.try_clone()?)? == Handle::from_path(path)?)
}

pub(crate) fn make_read_only(file: &File) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(true);
    file.set_permissions(permissions)
}

pub(crate) fn open_no_link(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.custom_flags(OF_LINK).open(path)?;
    match file.metadata()?.is_symlink() {
        true => Err(io::Error::other("it is a symbolic link")),
        false => Ok(file),
    }
}

/// Reading moves the place at which a file is written next, so it is put back.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    let mut all = file;
    let place = all.stream_position()?;
    let mut read = 0;
    while read < bytes.len() {
        match file.seek_read(&mut bytes[read..], start + read as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => read += count,
        }
    }
    all.seek(SeekFrom::Start(place)).map(drop)
}

pub(crate) fn state(meta: &Metadata) -> String {
    format!("{} {} {}", meta.file_size(), meta.last_write_time(), meta.creation_time())
}

pub(crate) fn changed(meta: &Metadata) -> SystemTime {
    meta.modified().unwrap_or(UNIX_EPOCH)
}

pub(crate) fn may_execute(_: &Path) -> bool {
    true
}

pub(crate) fn input_file() -> io::Result<File> {
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Nothing is known of a pipe but that it is no file.
pub(crate) fn is_input_a_pipe() -> bool {
    !input_file().and_then(|input| input.metadata()).is_ok_and(|meta| meta.is_file())
}

pub(crate) fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".into())
}

pub(crate) fn address_limit() -> Option<u64> {
    None
}

pub(crate) fn clock_ticks() -> u64 {
    1
}

pub(crate) fn note_warnings(_: &Arc<AtomicUsize>) -> io::Result<()> {
    Ok(())
}

/// What waits for the first of the signals: it looks from time to time.
pub(crate) fn first(signals: [i32; 2]) -> io::Result<impl FnOnce() -> Option<i32> + Send> {
    let noted = Arc::new(AtomicUsize::new(0));
    for signal in signals {
        signal_hook::flag::register_usize(signal, noted.clone(), signal.unsigned_abs() as usize)?;
    }
    Ok(move || {
        loop {
            match noted.load(Ordering::Relaxed) {
                0 => std::thread::sleep(Duration::from_millis(50)),
                signal => return i32::try_from(signal).ok(),
            }
        }
    })
}

pub(crate) fn catch_size_limit() -> io::Result<()> {
    Ok(())
}
