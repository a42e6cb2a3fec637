//! A file that is changed while it is read.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use noregret_platform::files::is_same;

/// An input on the disk, as it was when the run began.
pub(crate) struct ReadFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    twice: bool,
}

impl ReadFile {
    /// The input, if it is a file; `twice` says that its rows are read after all of it was seen.
    pub(crate) fn open(path: &Path, twice: bool) -> Option<Self> {
        // To open a pipe would be to read from it.
        let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let file = File::open(path).ok()?;
        Some(Self { path: path.to_owned(), file, bytes: meta.len(), twice })
    }

    /// What has happened to it that leaves the run without some of its rows, or with those of two files. It may grow.
    pub(crate) fn trouble(&self) -> Option<String> {
        let path = self.path.display();
        let left = self.file.metadata().map_or(0, |meta| meta.len());
        if left < self.bytes {
            return Some(format!(
                "{path} was cut while it was read, from {} bytes to {left}: rows may be missing",
                self.bytes
            ));
        }
        let replaced = self.twice && !is_same(&self.file, &self.path);
        replaced.then(|| format!("{path} was replaced while it was read: scales and rows may be of different files"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_or_replaced_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["rows.csv", "other.csv"].map(|name| folder.path().join(name));
        let begin = |twice: bool| {
            fs::write(&path, "a,y\n1,2\n").unwrap();
            ReadFile::open(&path, twice).unwrap()
        };
        let grown = begin(true);
        fs::write(&path, "a,y\n1,2\n3,4\n").unwrap();
        assert_eq!(grown.trouble(), None);
        let cut = begin(false);
        File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
        assert!(cut.trouble().unwrap().contains("from 8 bytes to 3"));
        for (twice, told) in [(false, false), (true, true)] {
            let replaced = begin(twice);
            fs::write(&other, "a,y\n5,6\n7,8\n").unwrap();
            fs::rename(&other, &path).unwrap();
            assert_eq!(replaced.trouble().is_some(), told);
        }
        assert!(ReadFile::open(folder.path(), true).is_none() && ReadFile::open(&other, true).is_none());
    }
}
