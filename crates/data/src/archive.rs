//! Files inside archives: zip, which wheels of Python are, too, and tar behind gzip, as packages of source code are.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;

use crate::error::DataError;
use crate::files::{create, io_error, remove};

/// A kind of archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Archive {
    /// A zip archive.
    Zip,
    /// A tar archive behind gzip.
    TarGz,
}

/// Where the header of the first member of a tar archive says what it is.
const USTAR: std::ops::Range<usize> = 257..262;

impl Archive {
    /// What the file is, by its first bytes; None for other files, compressed or not.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>, DataError> {
        let open = || File::open(path).map_err(io_error(path, "open it"));
        let mut head = Vec::new();
        open()?.take(4).read_to_end(&mut head).map_err(io_error(path, "read it"))?;
        if head == *b"PK\x03\x04" {
            return Ok(Some(Archive::Zip));
        }
        if !head.starts_with(b"\x1f\x8b") {
            return Ok(None);
        }
        let (mut block, file) = (Vec::new(), open()?);
        // What cannot be decompressed is no archive; whoever reads it says what is wrong with it.
        let read = GzDecoder::new(file).take(USTAR.end as u64).read_to_end(&mut block);
        Ok((read.is_ok() && block.get(USTAR) == Some(b"ustar")).then_some(Archive::TarGz))
    }

    /// The names of the files in `archive`.
    pub(crate) fn members(self, archive: &Path) -> Result<Vec<String>, DataError> {
        let file = BufReader::new(File::open(archive).map_err(io_error(archive, "open it"))?);
        let names = match self {
            Archive::Zip => zip_members(file),
            Archive::TarGz => tar_members(file),
        };
        names.map_err(wrong(archive, "any file"))
    }

    /// Extracts `member` (its path in the archive, or the last part of the path) from `archive`. It may have at most `most`
    /// bytes, which is what `bound` says.
    pub(crate) fn extract(
        self,
        archive: &Path,
        member: &str,
        to: &Path,
        most: u64,
        bound: &str,
    ) -> Result<(), DataError> {
        let failed = wrong(archive, member);
        let file = BufReader::new(File::open(archive).map_err(io_error(archive, "open it"))?);
        let is = |name: &str| name == member || name.rsplit('/').next() == Some(member);
        let found = match self {
            Archive::Zip => from_zip(file, is, to, most),
            Archive::TarGz => from_tar(file, is, to, most),
        };
        match found.map_err(&failed)? {
            None => Err(failed("it has no such member".into())),
            // The size that the archive states may be wrong.
            Some(length) if length > most => {
                remove(to)?;
                Err(failed(format!("it has more than {most} bytes, which is more than {bound}")))
            }
            Some(_) => Ok(()),
        }
    }
}

/// What is wrong with a member of an archive.
fn wrong(archive: &Path, member: &str) -> impl Fn(String) -> DataError {
    let (file, member) = (archive.display().to_string(), member.to_owned());
    move |detail| DataError::Archive { file: file.clone(), member: member.clone(), detail }
}

fn zip_members(file: BufReader<File>) -> Result<Vec<String>, String> {
    let zip = zip::ZipArchive::new(file).map_err(text)?;
    let names = zip.file_names().map(|name| name.map(Cow::into_owned)).collect::<Result<Vec<_>, _>>().map_err(text)?;
    Ok(names.into_iter().filter(|name| !name.ends_with('/')).collect())
}

fn tar_members(file: BufReader<File>) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for entry in tar::Archive::new(GzDecoder::new(file)).entries().map_err(text)? {
        let entry = entry.map_err(text)?;
        if entry.header().entry_type().is_file() {
            names.push(entry.path().map_err(text)?.display().to_string());
        }
    }
    Ok(names)
}

/// Copies the first member that `is` accepts, up to one byte more than `most`; returns how many bytes.
fn from_zip(file: BufReader<File>, is: impl Fn(&str) -> bool, to: &Path, most: u64) -> Result<Option<u64>, String> {
    let mut zip = zip::ZipArchive::new(file).map_err(text)?;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(text)?;
        if entry.is_file() && entry.name().is_ok_and(|name| is(&name)) {
            return copied(&mut entry, to, most).map(Some);
        }
    }
    Ok(None)
}

fn from_tar(file: BufReader<File>, is: impl Fn(&str) -> bool, to: &Path, most: u64) -> Result<Option<u64>, String> {
    let mut tar = tar::Archive::new(GzDecoder::new(file));
    for entry in tar.entries().map_err(text)? {
        let mut entry = entry.map_err(text)?;
        let fits = entry.path().is_ok_and(|path| path.to_str().is_some_and(&is));
        if fits && entry.header().entry_type().is_file() {
            return copied(&mut entry, to, most).map(Some);
        }
    }
    Ok(None)
}

fn copied(entry: &mut dyn Read, to: &Path, most: u64) -> Result<u64, String> {
    let mut out = create(to).map_err(text)?;
    io::copy(&mut entry.take(most.saturating_add(1)), &mut out).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// A tar archive behind gzip with a folder and these members.
    fn tar_gz(members: &[(&str, &str)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut folder = tar::Header::new_ustar();
        folder.set_entry_type(tar::EntryType::Directory);
        folder.set_size(0);
        tar.append_data(&mut folder, "package/a.csv", io::empty()).unwrap();
        for (name, content) in members {
            let mut header = tar::Header::new_ustar();
            header.set_size(content.len() as u64);
            tar.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn a_member_of_a_tar_archive_is_extracted() {
        let folder = tempfile::tempdir().unwrap();
        let (archive, to) = (folder.path().join("archive"), folder.path().join("member"));
        let members = [("package/long.csv", "x,y\n1,2\n3,4\n"), ("package/data/a.csv", "x,y\n5,6\n")];
        fs::write(&archive, tar_gz(&members)).unwrap();
        let kind = Archive::of(&archive).unwrap().unwrap();
        assert_eq!(kind, Archive::TarGz);
        for (member, content) in [("a.csv", members[1].1), ("package/long.csv", members[0].1)] {
            kind.extract(&archive, member, &to, 100, "enough").unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), content);
        }
        let refused = |member, most| kind.extract(&archive, member, &to, most, "enough").unwrap_err().to_string();
        assert_eq!(kind.members(&archive).unwrap(), members.map(|(name, _)| name));
        assert!(refused("b.csv", 100).contains("no such member"));
        assert!(refused("long.csv", 11).contains("more than 11 bytes"));
        assert!(!to.exists());
    }

    #[test]
    fn other_files_are_no_archives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(b"x,y\n1,2\n").unwrap();
        let mut cut = tar_gz(&[("a.csv", "x")]);
        cut.truncate(20);
        for content in [gzip.finish().unwrap(), b"x,y\n".to_vec(), Vec::new(), b"\x1f\x8b".to_vec(), cut] {
            fs::write(&path, content).unwrap();
            assert_eq!(Archive::of(&path).unwrap(), None);
        }
    }
}
