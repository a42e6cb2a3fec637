//! A program that is a learner, as it was declared: what runs it, and what identifies it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

/// A declared program.
#[derive(Debug)]
pub struct Program {
    /// The learner's name.
    pub name: String,
    /// Its version, which its process must give too.
    pub version: String,
    /// The command and its arguments. What names one of `files` stands for that file; a command in a folder, such as
    /// `target/env/bin/python`, is one of the project.
    pub command: Vec<String>,
    /// The files that identify it, relative to `root`.
    pub files: Vec<String>,
    /// The digest of the files when the declaration was read.
    pub digest: String,
    /// The folder of the project.
    pub root: PathBuf,
    /// Whether it learns from noisy copies.
    pub noisy: bool,
    /// How long it may take.
    pub limits: Limits,
    /// What to do where the command is not there.
    pub remedy: String,
}

/// How long a process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its first answer.
    pub start: Duration,
    /// For each answer.
    pub message: Duration,
    /// For the answer to the last message.
    pub end: Duration,
}

impl Program {
    /// The SHA-256, in hexadecimal, of the names and bytes of some files below `root`.
    ///
    /// # Errors
    /// The file that cannot be read.
    pub fn digest(root: &Path, files: &[String]) -> Result<String, (String, io::Error)> {
        let mut all = Sha256::new();
        for file in files {
            let bytes = fs::read(root.join(file)).map_err(|error| (file.clone(), error))?;
            all.update((file.len() as u64).to_le_bytes());
            all.update(file);
            all.update(Sha256::digest(&bytes));
        }
        Ok(hex::encode(all.finalize()))
    }

    /// Whether its files identify it, so that its results can be kept.
    pub fn is_identified(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether its files are as they were when the declaration was read, and if not, what changed.
    ///
    /// # Errors
    /// What is different now.
    pub fn unchanged(&self) -> Result<(), String> {
        match Self::digest(&self.root, &self.files) {
            Ok(now) if !self.is_identified() || now == self.digest => Ok(()),
            Ok(_) => Err("its files have changed since the command began".into()),
            Err((file, error)) => Err(format!("cannot read {file}: {error}")),
        }
    }

    /// The words of the command, as they are passed.
    pub fn words(&self) -> Vec<OsString> {
        // An absolute path stays as it is when it is joined.
        let in_project = |at: usize, word: &String| {
            self.files.contains(word) || (at == 0 && Path::new(word).components().count() > 1)
        };
        let word = |(at, word): (usize, &String)| match in_project(at, word) {
            true => self.root.join(word).into_os_string(),
            false => word.into(),
        };
        self.command.iter().enumerate().map(word).collect()
    }

    /// Whether the command is there: as a file, or in one of the folders of `PATH`.
    pub fn is_there(&self) -> bool {
        let Some(first) = self.words().into_iter().next() else { return false };
        let first = PathBuf::from(first);
        if first.components().count() > 1 {
            return first.is_file();
        }
        std::env::var_os("PATH").is_some_and(|all| std::env::split_paths(&all).any(|one| one.join(&first).is_file()))
    }
}
