//! Puts the files of a dataset into place. A file that is correct is kept; others are copied from a mirror or
//! downloaded.
//!
//! A file gets its final name only after it was parsed and its shape and content hash agreed with the declaration. An
//! error page or half a file never gets there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::declaration::{Dataset, DatasetOrigin, RemoteFile};
use crate::download::{Download, DownloadError, host};
use crate::error::DataError;
use crate::files::{beside, create, fingerprint, io_error, open_own, publish, write};
use crate::format::RowReader;
use crate::table::{ContentHash, scan_over};

pub use crate::download::Network;

/// A dataset whose files are in place and verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    /// The files, in the order in which they are concatenated; none for an embedded dataset.
    pub files: Vec<PathBuf>,
    /// The content hash of all rows.
    pub content_sha256: String,
}

/// A raw file as it is on disk, for information. Different bytes may have the same content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    name: String,
    bytes: u64,
    /// Of its bytes as they are, compressed or not.
    sha256: String,
    /// Where it came from.
    source: String,
}

/// Why a dataset could not be put into place.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Its files cannot be reached. Not an error of the data or of the program.
    #[error("{dataset}: cannot be reached; tried {}; {remedy}", join(tried))]
    Unavailable {
        dataset: String,
        /// What was tried, and what happened.
        tried: Vec<(String, String)>,
        remedy: String,
    },
    /// A file differs from the declaration, and no other source had the declared one.
    #[error("{dataset}: {source_name} is not the declared data: {problem}{}; {remedy}", also(tried))]
    Mismatch {
        dataset: String,
        /// The file, mirror or address at fault.
        source_name: String,
        #[source]
        problem: Box<DataError>,
        /// What else was tried, and what happened.
        tried: Vec<(String, String)>,
        remedy: String,
    },
    /// This machine refused to read or write.
    #[error(transparent)]
    Local(#[from] DataError),
    /// The caller stopped the fetch. The next fetch resumes a partial download.
    #[error("interrupted")]
    Interrupted,
}

fn join(tried: &[(String, String)]) -> String {
    tried.iter().map(|(what, why)| format!("{what} ({why})")).collect::<Vec<_>>().join(", ")
}

fn also(tried: &[(String, String)]) -> String {
    if tried.is_empty() { String::new() } else { format!("; also tried {}", join(tried)) }
}

/// What a fetch may use.
pub struct FetchAccess<'a> {
    /// Folders that hold files under their upstream names; tried before the network.
    pub mirrors: &'a [PathBuf],
    /// How to use the network; None to stay offline.
    pub network: Option<Network>,
    /// Receives progress messages, one line each.
    pub report: &'a dyn Fn(&str),
    /// Called now and then; returns whether to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Puts the files of `dataset` into `raw_dir` (data/raw/NAME) and verifies them. Correct files that are there are kept.
pub fn fetch(
    dataset: &Dataset,
    raw_dir: &Path,
    mirrors: &[PathBuf],
    online: bool,
    report: &dyn Fn(&str),
) -> Result<Fetched, FetchError> {
    let network = online.then(Network::default);
    fetch_with(dataset, raw_dir, &FetchAccess { mirrors, network, report, interrupted: &|| false })
}

/// Like [`fetch`], with timeouts for downloads and a way to stop.
pub fn fetch_with(dataset: &Dataset, raw_dir: &Path, access: &FetchAccess<'_>) -> Result<Fetched, FetchError> {
    match &dataset.origin {
        DatasetOrigin::Embedded(_) | DatasetOrigin::Path(_) => verify(dataset, raw_dir),
        DatasetOrigin::Files(files) => {
            fs::create_dir_all(raw_dir).map_err(io_error(raw_dir, "create it"))?;
            // Two fetches of one dataset take turns. A turn ends with its process at the latest.
            let turn = raw_dir.join(".lock");
            let held = open_own(&turn, OpenOptions::new().create(true).truncate(false))?;
            held.lock().map_err(io_error(&turn, "lock it"))?;
            let record = FetchRecord::read(raw_dir);
            DatasetFetch { dataset, raw_dir, access, record, unreachable: Vec::new() }.run(files)
        }
    }
}

/// Verifies the files in place without fetching, moving or changing any. It reads every file in full and compares shape
/// and content hash with the declaration or, if that has no hash, with the record of the first fetch.
pub fn verify(dataset: &Dataset, raw_dir: &Path) -> Result<Fetched, FetchError> {
    let record = FetchRecord::read(raw_dir);
    let recorded = || record.as_ref().map(|record| record.content_sha256.as_str());
    let expected = dataset.content_sha256.as_deref().or_else(recorded);
    let again = match &dataset.origin {
        DatasetOrigin::Path(_) => format!(
            "put the file back as it was; or, if the change is intended, take it over: with `noregret data update {0}` if it was \
             added, else by correcting {0}.toml in pipeline/datasets",
            dataset.name
        ),
        _ => format!("get it with `noregret data fetch {}`", dataset.name),
    };
    let checked = dataset.open(raw_dir).and_then(|rows| inspect(&dataset.name, rows, dataset.rows, expected));
    let names = || dataset.paths(raw_dir).iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" + ");
    match checked {
        Ok(content_sha256) => Ok(Fetched { files: dataset.paths(raw_dir), content_sha256 }),
        Err(DataError::NoFile { file }) => Err(FetchError::Unavailable {
            dataset: dataset.name.clone(),
            tried: vec![(file, "no such file".into())],
            remedy: again,
        }),
        Err(error @ DataError::Io { .. }) => Err(FetchError::Local(error)),
        Err(problem) => Err(FetchError::Mismatch {
            dataset: dataset.name.clone(),
            source_name: names(),
            problem: Box::new(problem),
            tried: Vec::new(),
            remedy: again,
        }),
    }
}

/// The content hash that the first fetch into `raw_dir` recorded; `None` if there was none.
pub fn recorded(raw_dir: &Path) -> Option<String> {
    FetchRecord::read(raw_dir).map(|record| record.content_sha256)
}

/// A raw file as it is on disk. `source` returns where the file of a name came from.
fn describe(path: &Path, source: impl Fn(&str) -> Option<String>) -> Result<RawFile, DataError> {
    let (bytes, sha256) = fingerprint(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = source(&name).unwrap_or_else(|| "found in place".to_owned());
    Ok(RawFile { name, bytes, sha256, source })
}

/// Reads all rows and returns the content hash, if the number of rows and the hash are as expected.
fn inspect(file: &str, mut reader: Box<dyn RowReader>, rows: u64, expected: Option<&str>) -> Result<String, DataError> {
    let mut hash = ContentHash::new(rows, reader.columns());
    // A file with more rows is not read to its end, which may never come.
    let actual = scan_over(rows, reader.as_mut(), |inputs, targets| hash.update(inputs, targets))?;
    if actual != rows {
        return Err(DataError::Shape { file: file.into(), what: "number of rows", expected: rows, actual });
    }
    let actual = hash.finish();
    match expected {
        Some(expected) if expected != actual => {
            Err(DataError::Content { file: file.into(), expected: expected.into(), actual })
        }
        _ => Ok(actual),
    }
}

/// The result of an earlier fetch, kept in the raw folder as `fetched.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FetchRecord {
    /// The content hash of the dataset. It is required from then on if the declaration has none.
    content_sha256: String,
    #[serde(default)]
    files: Vec<RawFile>,
}

/// The name of the record in the raw folder.
const RECORD: &str = "fetched.toml";

impl FetchRecord {
    /// The record of `raw_dir`; None if it is absent or damaged.
    fn read(raw_dir: &Path) -> Option<Self> {
        toml::from_str(&fs::read_to_string(raw_dir.join(RECORD)).ok()?).ok()
    }

    /// Where the file `name` came from, if `record` knows it.
    fn source(record: Option<&Self>, name: &str) -> Option<String> {
        let raw = record?.files.iter().find(|raw| raw.name == name)?;
        Some(raw.source.clone())
    }

    fn write(&self, raw_dir: &Path) -> Result<(), DataError> {
        let path = raw_dir.join(RECORD);
        let text = toml::to_string(self)
            .map_err(|error| DataError::Declaration { file: path.display().to_string(), detail: error.to_string() })?;
        write(&path, text.as_bytes())
    }
}

/// The suffix of a file that was moved aside because it is not the declared data.
const REJECTED: &str = "rejected";

/// Why a file may not be larger than [`DatasetFetch::most_bytes`].
const BOUND: &str = "its declared rows can need";

/// The suffix of a complete file that is not verified yet.
const NEW: &str = "new";

/// A fetch in progress.
struct DatasetFetch<'a> {
    dataset: &'a Dataset,
    raw_dir: &'a Path,
    access: &'a FetchAccess<'a>,
    record: Option<FetchRecord>,
    /// Hosts that did not answer.
    unreachable: Vec<String>,
}

/// The sources of one file that were tried.
#[derive(Default)]
struct Attempts {
    tried: Vec<(String, String)>,
    /// The first source whose file was not the declared one.
    mismatch: Option<(String, DataError)>,
}

impl DatasetFetch<'_> {
    fn run(&mut self, files: &[RemoteFile]) -> Result<Fetched, FetchError> {
        let only = files.len() == 1;
        let (raw, hashes): (Vec<RawFile>, Vec<String>) =
            files.iter().map(|file| self.obtain(file, only)).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let dataset = self.dataset;
        let content_sha256 = match <[String; 1]>::try_from(hashes) {
            // The only file is the whole dataset, and was already compared.
            Ok([hash]) => hash,
            Err(_) => inspect(&dataset.name, dataset.open(self.raw_dir)?, dataset.rows, self.expected()).map_err(
                |problem| {
                    let source_name = files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(" + ");
                    self.mismatch((source_name, problem), Vec::new())
                },
            )?,
        };
        let record = FetchRecord { content_sha256: content_sha256.clone(), files: raw };
        if self.record.as_ref() != Some(&record) {
            record.write(self.raw_dir)?;
        }
        Ok(Fetched { files: dataset.paths(self.raw_dir), content_sha256 })
    }

    /// The content hash that the whole dataset must have, if it is known.
    fn expected(&self) -> Option<&str> {
        self.dataset.content_sha256.as_deref().or(self.record.as_ref().map(|record| record.content_sha256.as_str()))
    }

    fn mismatch(&self, (source_name, problem): (String, DataError), tried: Vec<(String, String)>) -> FetchError {
        let remedy = match self.dataset.content_sha256 {
            Some(_) => self.remedy(),
            None => format!("if the source has changed, remove {} and fetch again", self.raw_dir.display()),
        };
        let (dataset, problem) = (self.dataset.name.clone(), Box::new(problem));
        FetchError::Mismatch { dataset, source_name, problem, tried, remedy }
    }

    fn remedy(&self) -> String {
        let online = match (self.dataset.is_downloadable(), self.access.network.is_some()) {
            (false, _) => "",
            (true, true) => "try again later, or ",
            (true, false) => "allow the network, or ",
        };
        let names = self.dataset.names_in_mirrors();
        format!("{online}put {names} into a folder and name it with --mirror or NOREGRET_MIRROR")
    }

    /// Makes sure that one file is in place; returns the file and its content hash.
    fn obtain(&mut self, file: &RemoteFile, only: bool) -> Result<(RawFile, String), FetchError> {
        let place = self.raw_dir.join(&file.name);
        let mut attempts = Attempts::default();
        if place.try_exists().map_err(io_error(&place, "look for it"))?
            && let Some(hash) = self.accept(file, only, &place, &place.display().to_string(), &mut attempts)?
        {
            return Ok((describe(&place, |name| FetchRecord::source(self.record.as_ref(), name))?, hash));
        }
        // A file that was moved aside may be right, if its declaration was wrong at that time.
        let aside = beside(&place, REJECTED);
        if aside.is_file() && self.check(file, only, &aside).is_ok() {
            publish(&aside, &place)?;
            self.say(&format!("{} is the declared data after all", aside.display()));
        }
        if place.is_file() {
            let hash = self.check(file, only, &place)?;
            return Ok((describe(&place, |name| FetchRecord::source(self.record.as_ref(), name))?, hash));
        }
        for mirror in self.access.mirrors {
            let Some(candidate) = file.in_mirror(mirror) else {
                attempts.tried.push((mirror.display().to_string(), format!("has no {}", file.name_in_mirrors())));
                continue;
            };
            let source = candidate.display().to_string();
            let mut original = match File::open(&candidate) {
                Ok(file) => file,
                Err(error) => {
                    attempts.tried.push((source, error.to_string()));
                    continue;
                }
            };
            // fs::copy would make the copy of a read-only file read-only.
            let copy = beside(&place, NEW);
            io::copy(&mut original, &mut create(&copy)?).map_err(io_error(&copy, "copy a mirror's file there"))?;
            if let Some(hash) = self.accept(file, only, &copy, &source, &mut attempts)? {
                publish(&copy, &place)?;
                self.say(&format!("{} copied from {source}", file.name));
                return Ok((describe(&place, |_| Some(source.clone()))?, hash));
            }
        }
        for address in &file.addresses {
            if let Some(hash) = self.download(file, only, address, &place, &mut attempts)? {
                self.say(&format!("{} downloaded from {address}", file.name));
                return Ok((describe(&place, |_| Some(address.clone()))?, hash));
            }
        }
        match attempts.mismatch {
            Some(mismatch) => Err(self.mismatch(mismatch, attempts.tried)),
            None => Err(FetchError::Unavailable {
                dataset: self.dataset.name.clone(),
                tried: attempts.tried,
                remedy: self.remedy(),
            }),
        }
    }

    /// Downloads a file to `place`; returns its content hash, or None if this address does not have it.
    fn download(
        &mut self,
        file: &RemoteFile,
        only: bool,
        address: &str,
        place: &Path,
        attempts: &mut Attempts,
    ) -> Result<Option<String>, FetchError> {
        let mut failed = |why: String| {
            attempts.tried.push((address.to_owned(), why));
            Ok(None)
        };
        let Some(network) = &self.access.network else { return failed("offline".into()) };
        if self.unreachable.iter().any(|known| known == host(address)) {
            return failed("its host does not answer".into());
        }
        let part = beside(place, "part");
        let say = |message: &str| self.say(message);
        let (most, interrupted) = (self.most_bytes(file), self.access.interrupted);
        let download = Download { address, part: &part, most, bound: BOUND, network, say: &say, interrupted };
        match download.run() {
            Ok(()) => {}
            Err(DownloadError::Interrupted) => return Err(FetchError::Interrupted),
            Err(DownloadError::Local(error)) => return Err(FetchError::Local(error)),
            Err(DownloadError::Refused(why)) => return failed(why),
            Err(DownloadError::Status(status, _)) => return failed(format!("HTTP status {status}")),
            Err(DownloadError::Unreachable(why)) => {
                self.unreachable.push(host(address).to_owned());
                return failed(why);
            }
        }
        let new = beside(place, NEW);
        let accepted = if let Some(archive) = Archive::of(&part)? {
            match archive.extract(&part, file.member.as_deref().unwrap_or(&file.name), &new, most, BOUND) {
                Ok(()) => self.accept(file, only, &new, address, attempts)?,
                Err(problem) => self.reject(file, &part, address, problem, attempts)?,
            }
        } else {
            fs::rename(&part, &new).map_err(io_error(&part, "rename it"))?;
            self.accept(file, only, &new, address, attempts)?
        };
        if accepted.is_some() {
            publish(&new, place)?;
        }
        download.discard()?;
        Ok(accepted)
    }

    /// The most bytes that a file may have, so that an endless one does not fill the disk: what its declared rows need,
    /// written out at great length, and some more for what an archive holds beside it.
    fn most_bytes(&self, file: &RemoteFile) -> u64 {
        const VALUE: u64 = 64;
        const BESIDE: u64 = 16 << 20;
        // If columns are selected, the file has others as well.
        let unknown = if self.dataset.input_columns.is_some() { 64 } else { 1 };
        let values = file.rows.unwrap_or(self.dataset.rows).saturating_mul((self.dataset.inputs + 1) * unknown);
        values.saturating_mul(VALUE).max(file.bytes.unwrap_or(0)).saturating_add(BESIDE)
    }

    /// The content hash of the file at `path`, which came from `source`, if it is the declared one. If not, the file is
    /// moved aside.
    fn accept(
        &self,
        file: &RemoteFile,
        only: bool,
        path: &Path,
        source: &str,
        attempts: &mut Attempts,
    ) -> Result<Option<String>, FetchError> {
        match self.check(file, only, path) {
            Ok(hash) => Ok(Some(hash)),
            Err(problem) => self.reject(file, path, source, problem, attempts),
        }
    }

    /// The content hash of the file at `path`, if it is the declared one.
    fn check(&self, file: &RemoteFile, only: bool, path: &Path) -> Result<String, DataError> {
        let rows = file.rows.unwrap_or(self.dataset.rows);
        let expected = file.content_sha256.as_deref().or(if only { self.expected() } else { None });
        let name = path.display().to_string();
        self.dataset.open_file(path).and_then(|reader| inspect(&name, reader, rows, expected))
    }

    /// Moves a file that is not the declared one aside, so that the user can inspect it. Returns None.
    fn reject(
        &self,
        file: &RemoteFile,
        path: &Path,
        source: &str,
        problem: DataError,
        attempts: &mut Attempts,
    ) -> Result<Option<String>, FetchError> {
        if matches!(problem, DataError::Io { .. }) {
            return Err(FetchError::Local(problem));
        }
        let aside = beside(&self.raw_dir.join(&file.name), REJECTED);
        fs::rename(path, &aside).map_err(io_error(path, "move it aside"))?;
        self.say(&format!("{source} is not the declared data; see {}: {problem}", aside.display()));
        attempts.tried.push((source.to_owned(), "not the declared data".into()));
        attempts.mismatch.get_or_insert((source.to_owned(), problem));
        Ok(None)
    }

    fn say(&self, message: &str) {
        (self.access.report)(&format!("{}: {message}", self.dataset.name));
    }
}
