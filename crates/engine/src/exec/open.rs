//! Open packs: `results/store/packs/<host>.<process>-<numbers>.open`, to which one process appends cheap objects, because to make and
//! remove a file takes longer than to make a cheap cell. A record is a line `<name> <length>` and the object's bytes. The
//! process holds the file; of a process that was killed it can be read up to the first record that is not whole.

use std::fs::{File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use noregret_platform::files::is_same;

use crate::exec::object::StoreError;
use crate::exec::pack::PackMember;

/// The ending of its name.
pub(crate) const OPEN: &str = ".open";

/// No name of an object is longer, with its length.
const LINE: u64 = 1 << 10;

/// A file that this process appends to.
#[derive(Debug)]
pub(crate) struct OpenPack {
    name: Arc<str>,
    path: PathBuf,
    file: File,
    length: u64,
    /// The objects in it.
    pub names: Vec<String>,
    /// Since when it has what a power cut would cost.
    pub(crate) unsynced: Option<Instant>,
}

impl OpenPack {
    /// A new one; None if another process takes it for one of the dead before it is held.
    pub(crate) fn create(name: Arc<str>, path: PathBuf) -> Result<Option<Self>, StoreError> {
        let file = File::options().write(true).create_new(true).open(&path).map_err(StoreError::at("create", &path))?;
        match file.try_lock() {
            Ok(()) if is_same(&file, &path) => {}
            Err(TryLockError::Error(error)) => return Err(StoreError::at("lock", &path)(error)),
            _ => return Ok(None),
        }
        Ok(Some(Self { name, path, file, length: 0, names: Vec::new(), unsynced: None }))
    }

    /// The name of its file.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How many bytes it has.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends an object. After an error nothing was appended.
    pub(crate) fn append(&mut self, name: &str, bytes: &[u8]) -> Result<PackMember, StoreError> {
        let head = format!("{name} {}\n", bytes.len());
        let written = self.file.write_all(head.as_bytes()).and_then(|()| self.file.write_all(bytes));
        let member =
            PackMember { name: name.to_owned(), from: self.length + head.len() as u64, length: bytes.len() as u64 };
        if let Err(error) = written {
            // What cannot be cut off is no whole record, and is written over.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(StoreError::at("write", &self.path)(error));
        }
        self.length = member.from + member.length;
        self.names.push(name.to_owned());
        self.unsynced.get_or_insert_with(Instant::now);
        Ok(member)
    }

    /// The file, to be synced by the caller, so that others can append meanwhile.
    pub(crate) fn take_unsynced(&mut self) -> Result<(PathBuf, File), StoreError> {
        let file = self.file.try_clone().map_err(StoreError::at("sync", &self.path))?;
        self.unsynced = None;
        Ok((self.path.clone(), file))
    }
}

/// The whole records of a file from a position on, and the position after them.
pub(crate) fn records(path: &Path, from: u64) -> io::Result<(Vec<PackMember>, u64)> {
    let file = File::open(path)?;
    let end = file.metadata()?.len();
    let (mut reader, mut at, mut members) = (BufReader::new(file), from, Vec::new());
    reader.seek(SeekFrom::Start(from))?;
    loop {
        let mut line = Vec::new();
        reader.by_ref().take(LINE).read_until(b'\n', &mut line)?;
        let head = str::from_utf8(&line).ok().and_then(|line| line.strip_suffix('\n')?.split_once(' '));
        let Some((name, length)) = head.and_then(|(name, length)| Some((name, length.parse::<u64>().ok()?))) else {
            return Ok((members, at));
        };
        let from = at + line.len() as u64;
        let Some(after) = from.checked_add(length).filter(|after| *after <= end) else { return Ok((members, at)) };
        members.push(PackMember { name: name.to_owned(), from, length });
        reader.seek_relative(i64::try_from(length).map_err(io::Error::other)?)?;
        at = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_up_to_the_first_record_that_is_not_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.open");
        let mut pack = OpenPack::create("a.open".into(), path.clone()).expect("space").expect("nobody else");
        let appended = [("one", &b"1\n2"[..]), ("two", b""), ("three", b"456")];
        let members: Vec<_> = appended.iter().map(|(name, bytes)| pack.append(name, bytes).expect("space")).collect();
        let bytes = std::fs::read(&path).expect("a file");
        for (member, (_, object)) in members.iter().zip(appended) {
            assert_eq!(&bytes[member.from as usize..][..member.length as usize], object);
        }
        let (all, end) = records(&path, 0).expect("a file");
        assert_eq!((all, end), (members, bytes.len() as u64));
        let ends = [0, 3 + 2 + 1 + 3, 3 + 2 + 1 + 3 + 3 + 2 + 1, bytes.len()];
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).expect("space");
            let whole = ends.iter().filter(|end| **end <= cut).count() - 1;
            let (found, at) = records(&path, 0).expect("a file");
            assert_eq!((found.len(), at), (whole, ends[whole] as u64), "{cut}");
            assert_eq!(records(&path, at).expect("a file"), (Vec::new(), at), "{cut}");
        }
    }
}
