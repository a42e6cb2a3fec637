//! A program that is a learner, as it was declared: what runs it, and what identifies it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use noregret_platform::files::is_executable;
use sha2::{Digest as _, Sha256};

use super::isolation::{possible, told};
use super::readable::{Readable, hidden, holds, installation, libraries};

/// How much of a script's first line is looked at, as by Linux.
const LONGEST_FIRST_LINE: u64 = 256;

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
    /// The file that could not be read then, and why.
    pub(crate) unread: Option<(String, String)>,
    /// The folder of the project.
    pub(crate) root: PathBuf,
    /// Whether it learns from noisy copies.
    pub noisy: bool,
    /// Whether its process is isolated, where that is possible.
    pub(crate) isolated: bool,
    /// What its process may read besides: files and folders, relative to `root` or beginning with `~/`.
    pub(crate) reads: Vec<String>,
    /// How long it may take.
    pub(crate) limits: ProcessLimits,
    /// What to do where the command is not there.
    pub remedy: String,
}

/// How long a process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessLimits {
    /// From its start to its first answer.
    pub(crate) start: Duration,
    /// For each answer.
    pub(crate) message: Duration,
    /// For the answer to the last message.
    pub end: Duration,
}

impl Program {
    /// The SHA-256, in hexadecimal, of the names and bytes of some files below `root`.
    ///
    /// # Errors
    /// The file that cannot be read.
    pub(crate) fn digest(root: &Path, files: &[String]) -> Result<String, (String, io::Error)> {
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
    pub(crate) fn is_identified(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether its files are as they were when the declaration was read, and if not, what changed.
    ///
    /// # Errors
    /// What is different now.
    pub(crate) fn unchanged(&self) -> Result<(), String> {
        match Self::digest(&self.root, &self.files) {
            Ok(now) if !self.is_identified() || now == self.digest => Ok(()),
            Ok(_) => Err("its files have changed since the command began".into()),
            Err((file, error)) => Err(format!("cannot read {file}: {error}")),
        }
    }

    /// The words of the command, as they are passed.
    pub(crate) fn words(&self) -> Vec<OsString> {
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

    /// What its process may read, if it is to be isolated: the system, the installations of the programs that the command
    /// names, its files with the names of what is beside them, and what the declaration adds.
    pub(crate) fn readable(&self) -> Option<Readable> {
        let (hidden, words) = (hidden(&self.root), self.words());
        let mut readable = Readable::system(&hidden);
        let programs = words.iter().enumerate().filter_map(|(at, word)| match Path::new(word).components().count() {
            1 => on_path(Path::new(word)),
            _ => Some(PathBuf::from(word)).filter(|_| at == 0),
        });
        for program in programs {
            let by = interpreter(&program).into_iter().flat_map(|by| installation(&by, &hidden));
            readable.whole.extend(installation(&program, &hidden).into_iter().chain(by).chain([program]));
        }
        let own = self.files.iter().map(|file| self.root.join(file));
        let named = words.iter().map(PathBuf::from).filter(|path| path.is_absolute());
        for file in own.chain(named).filter(|file| file.is_file()) {
            readable.names.extend(file.parent().filter(|folder| !holds(folder, &hidden)).map(Path::to_owned));
            readable.whole.push(file);
        }
        let home = std::env::home_dir().unwrap_or_default();
        readable.whole.extend(libraries(&hidden));
        readable.whole.extend(self.reads.iter().map(|path| match path.strip_prefix("~/") {
            Some(path) => home.join(path),
            None => self.root.join(path),
        }));
        self.isolated.then_some(readable)
    }

    /// Whether its process can do nothing but what it is to.
    pub(crate) fn is_isolated(&self) -> bool {
        self.isolated && possible().is_ok_and(<[_]>::is_empty)
    }

    /// What users are told of what its process can do.
    pub(crate) fn isolation(&self) -> String {
        told(self.isolated, &self.reads)
    }

    /// What it cannot be started without and is not here, and what to do: one of its files, its command (as a file that may
    /// be executed, or in one of the folders of `PATH`), or the interpreter that a script names in its first line.
    pub(crate) fn missing(&self) -> Option<MissingProgram> {
        if cfg!(not(unix)) {
            let what = "groups of processes, which this system does not have".into();
            return Some(MissingProgram { what, remedy: "run it on Linux, on macOS or in WSL".into() });
        }
        let (shown, declared) = (&self.command[0], format!("pipeline/learners/{}.toml", self.name));
        let missing = |what: String, remedy: String| {
            let remedy = if self.remedy.is_empty() { remedy } else { self.remedy.clone() };
            Some(MissingProgram { what, remedy })
        };
        if let Some((file, error)) = &self.unread {
            let what = format!("`{file}`, which cannot be read ({error})");
            return missing(what, format!("put {file} there, or change {declared}"));
        }
        let first = PathBuf::from(self.words().into_iter().next().unwrap_or_default());
        let found = match first.components().count() {
            1 => on_path(&first),
            _ if first.is_file() && !is_executable(&first) => {
                let what = format!("`{shown}`, which may not be executed");
                return missing(what, format!("chmod +x {}", first.display()));
            }
            _ => Some(first).filter(|path| is_executable(path)),
        };
        let Some(found) = found else {
            return missing(
                format!("`{shown}`, which is not here"),
                format!("install `{shown}`, or change {declared}"),
            );
        };
        let absent = interpreter(&found).filter(|path| !path.is_file())?;
        let (absent, found) = (absent.display(), found.display());
        let what = format!("{absent}, the interpreter of `{shown}`, which is not here");
        missing(what, format!("install {absent}, or change the first line of {found}"))
    }
}

/// What is not here, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingProgram {
    /// What it is, and what is wrong with it.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

/// The program of this name in the folders of `PATH`.
fn on_path(name: &Path) -> Option<PathBuf> {
    let all = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&all).map(|folder| folder.join(name)).find(|path| is_executable(path))
}

/// The interpreter that the first line of a script names.
fn interpreter(file: &Path) -> Option<PathBuf> {
    let mut begin = Vec::new();
    File::open(file).ok()?.take(LONGEST_FIRST_LINE).read_to_end(&mut begin).ok()?;
    let words = begin.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?.trim_ascii_start();
    let word = words.split(u8::is_ascii_whitespace).next().filter(|word| word.starts_with(b"/"))?;
    Some(PathBuf::from(str::from_utf8(word).ok()?))
}
