//! Writes the files of a project into a folder, where nothing of theirs exists yet.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use noregret_study::config::project::is_project;

/// The files of a new project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    files: Vec<NewFile>,
}

/// One file of it.
#[derive(Clone, Debug)]
struct NewFile {
    /// Relative to the project folder.
    path: PathBuf,
    bytes: Vec<u8>,
    /// Whether a file that is there already is kept, instead of an error.
    keeps: bool,
}

impl Template {
    /// No file.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With another file. `path` is relative to the project folder; a file of this path must not exist.
    #[must_use]
    pub(crate) fn with(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.push(NewFile { path: path.into(), bytes: bytes.into(), keeps: false });
        self
    }

    /// With another file, unless the folder has one of this path, which then stays as it is (`.gitignore`).
    #[must_use]
    pub(crate) fn with_default(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.push(NewFile { path: path.into(), bytes: bytes.into(), keeps: true });
        self
    }

    /// Whether `folder` has room for it: no project, and no file that would be overwritten.
    ///
    /// # Errors
    /// What stands in the way.
    pub(crate) fn fits(&self, folder: &Path) -> Result<(), WriteError> {
        let taken = |path: &Path| folder.join(path).symlink_metadata().is_ok();
        if is_project(folder) {
            return Err(WriteError::Project { folder: folder.to_owned() });
        }
        match self.files.iter().find(|entry| !entry.keeps && taken(&entry.path)) {
            Some(entry) => Err(WriteError::Exists { path: folder.join(&entry.path) }),
            None => Ok(()),
        }
    }
}

/// Why a project was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// The folder is a project already.
    #[error(
        "{} holds a project already (it has a folder pipeline with profiles.toml or experiments), and nothing is \
         overwritten; name another folder",
        folder.display()
    )]
    Project { folder: PathBuf },
    /// A file of the project exists already.
    #[error("{} exists already, and nothing is overwritten; move it away, or name another folder", path.display())]
    Exists { path: PathBuf },
    /// The operating system refused to write.
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Writes the files of `template` into `folder`, which is created if it does not exist, and returns the paths that were
/// written, relative to it. Nothing is written if anything stands in the way ([`Template::fits`]).
///
/// # Errors
/// What stands in the way, or which file cannot be written.
pub(crate) fn write(folder: &Path, template: &Template) -> Result<Vec<PathBuf>, WriteError> {
    template.fits(folder)?;
    let mut written = Vec::new();
    for entry in &template.files {
        let path = folder.join(&entry.path);
        let refused = |source| WriteError::Io { path: path.clone(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(refused)?;
        }
        match File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(&entry.bytes).map_err(refused)?;
                written.push(entry.path.clone());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && entry.keeps => {}
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("new");
        let template = Template::new().with("pipeline/a.toml", "a").with_default(".gitignore", "/data");
        let written = write(&root, &template).expect("an empty folder");
        assert_eq!(written, [PathBuf::from("pipeline/a.toml"), ".gitignore".into()]);
        let again = write(&root, &template).expect_err("the file is there").to_string();
        assert!(again.contains("pipeline/a.toml exists already"), "{again}");

        // What is kept is not written; what is in the way keeps everything from being written.
        let other = Template::new().with("b", "b").with_default(".gitignore", "other");
        assert_eq!(write(&root, &other).expect("no `b` yet"), [PathBuf::from("b")]);
        assert_eq!(fs::read(root.join(".gitignore"))?, b"/data");
        let third = Template::new().with("c", "c").with("b", "other");
        assert!(matches!(write(&root, &third), Err(WriteError::Exists { .. })) && !root.join("c").exists());
        fs::create_dir_all(root.join("pipeline/experiments"))?;
        assert!(matches!(write(&root, &Template::new()), Err(WriteError::Project { .. })));
        Ok(())
    }
}
