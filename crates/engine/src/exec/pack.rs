//! The format of packs: files that hold many objects, so that a store or a bucket has few files, and few requests read and
//! write them. A pack is a ZIP archive. Its members are objects under their names, uncompressed and in the order of
//! names; the directory at its end is the index.

use std::io::{Cursor, Error, ErrorKind, Read, Result as IoResult, Seek, SeekFrom, Write};

use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::exec::object::ObjectName;

/// A pack is closed when it has so many objects, or so many bytes.
pub(crate) const OBJECTS: usize = 1000;
pub(crate) const BYTES: u64 = 16 << 20;

/// How many bytes at the end of a pack are read first, to find its directory. That of two thousand objects is shorter, as a rule.
pub(crate) const TAIL: u64 = 512 << 10;

/// The length of what stands before the name of a member.
const HEAD: u64 = 30;

/// An object in a pack.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PackMember {
    /// Its name.
    pub name: String,
    /// The position of its first byte.
    pub(crate) from: u64,
    /// How many bytes it has.
    pub(crate) length: u64,
}

/// The bytes of the pack of these objects. Equal objects make equal packs.
pub(crate) fn pack(mut objects: Vec<(String, Vec<u8>)>) -> ZipResult<Vec<u8>> {
    objects.sort_unstable();
    Ok(write_pack(Cursor::new(Vec::new()), objects.into_iter().map(Ok))?.into_inner())
}

/// Writes the pack of these objects, which are in the order of their names.
pub(crate) fn write_pack<W: Write + Seek>(
    to: W,
    objects: impl Iterator<Item = IoResult<(String, Vec<u8>)>>,
) -> ZipResult<W> {
    let mut writer = ZipWriter::new(to);
    let plain = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o444);
    let mut written = objects.into_iter().map(|object| {
        let (name, bytes) = object?;
        writer.start_file(name, plain.large_file(bytes.len() > u32::MAX as usize))?;
        Ok(writer.write_all(&bytes)?)
    });
    if let Err(error) = written.by_ref().collect::<ZipResult<()>>() {
        // A writer that is dropped tries once more to end the archive, and prints on its own why it cannot.
        std::mem::forget(writer);
        return Err(error);
    }
    writer.finish()
}

/// The objects in a pack, of which the bytes from position `from` up to its end are known.
///
/// # Errors
/// Not all of the directory is among them, or it is damaged.
pub(crate) fn index(from: u64, tail: Vec<u8>) -> ZipResult<Vec<PackMember>> {
    let archive = ZipArchive::new(PackTail { from, tail: Cursor::new(tail) })?;
    let member = |at| {
        let member = archive.by_index_data(at)?;
        let name = member.name()?.into_owned();
        let from = member.header_start().saturating_add(HEAD + name.len() as u64);
        Ok(PackMember { name, from, length: member.size() })
    };
    (0..archive.len()).map(member).collect()
}

/// The objects of a pack that are `wanted`, those apart that cannot be read or whose bytes are not what their names say.
pub(crate) fn unpack(pack: &[u8], wanted: impl Fn(&str) -> bool) -> ZipResult<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(pack))?;
    let mut objects = Vec::new();
    for name in names(&archive)?.into_iter().filter(|name| wanted(name)) {
        let mut bytes = Vec::new();
        let read = archive.by_name(&name).map(|mut member| member.read_to_end(&mut bytes));
        let is_read = matches!(read, Ok(Ok(_)));
        if is_read && ObjectName::parse(&name).is_some_and(|parsed| parsed.matches(&bytes)) {
            objects.push((name, bytes));
        }
    }
    Ok(objects)
}

fn names<R: Read + Seek>(archive: &ZipArchive<R>) -> ZipResult<Vec<String>> {
    archive.file_names().map(|name| name.map(|name| name.into_owned())).collect()
}

/// The end of a file whose beginning is not here.
struct PackTail {
    from: u64,
    tail: Cursor<Vec<u8>>,
}

impl Read for PackTail {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        self.tail.read(buffer)
    }
}

impl Seek for PackTail {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        let not_here = || Error::new(ErrorKind::UnexpectedEof, "only the end of the file is here");
        let to = match to {
            SeekFrom::Start(at) => SeekFrom::Start(at.checked_sub(self.from).ok_or_else(not_here)?),
            other => other,
        };
        Ok(self.from + self.tail.seek(to)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::sources::Sources;

    fn objects() -> Vec<(String, Vec<u8>)> {
        let object = |i: u8| {
            let bytes = vec![i; 1000 + usize::from(i)];
            (ObjectName::format(&[i; 32], &bytes, &Sources::default(), "parquet"), bytes)
        };
        (0..100).map(object).collect()
    }

    #[test]
    fn a_pack_gives_back_its_objects_and_does_not_depend_on_their_order() {
        let bytes = pack(objects()).unwrap();
        assert_eq!(bytes, pack(objects().into_iter().rev().collect()).unwrap());
        assert_eq!(unpack(&bytes, |_| true).unwrap(), objects());
        let third = &objects()[3];
        assert_eq!(unpack(&bytes, |name| name == third.0).unwrap(), std::slice::from_ref(third));
    }

    #[test]
    fn the_end_of_a_pack_is_its_index() {
        let bytes = pack(objects()).unwrap();
        let members = index(80_000, bytes[80_000..].to_vec()).unwrap();
        let within = |member: PackMember| {
            let [from, length] = [member.from, member.length].map(|number| number as usize);
            (member.name, bytes[from..from + length].to_vec())
        };
        assert_eq!(members.into_iter().map(within).collect::<Vec<_>>(), objects());
        // The directory of a hundred names does not fit.
        let late = bytes.len() - 3000;
        assert!(index(late as u64, bytes[late..].to_vec()).is_err());
    }

    #[test]
    fn an_object_of_other_bytes_is_left_out() {
        let mut objects = objects();
        objects[7].1[0] ^= 1;
        let mut bytes = pack(objects).unwrap();
        assert_eq!(unpack(&bytes, |_| true).unwrap().len(), 99);
        // One whose bytes the archive itself finds wrong costs no other.
        bytes[60_000] ^= 1;
        assert_eq!(unpack(&bytes, |_| true).unwrap().len(), 98);
    }
}
