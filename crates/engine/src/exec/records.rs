//! Records and notes beside the objects: what was published, what failed, what could not be reached; and the snapshot
//! that planning reads. All of it can be lost without harm: the next run finds it again or makes it again.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use noregret_platform::files::modified;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::exec::scratch::Scratch;
use crate::exec::store::{ResultStore, StoreError, names};
use crate::plan::key::{content, hex, unhex};
use crate::plan::snapshot::{PublishedFiles, PublishedState, Snapshot, Unreached};
use crate::plan::sources::{ContentDigest, Sources, content_of};
use crate::plan::work::Digest;

/// For how many seconds something that could not be reached is not tried again.
pub(crate) const UNAVAILABLE_SECONDS: f64 = 600.0;

/// A record of published files, as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordFile {
    /// The key under which they were made, in hexadecimal.
    pub key: String,
    /// The fingerprint of the item that made them, in hexadecimal.
    pub fingerprint: String,
    /// What they were made from: [`Sources`] as words. Empty for an item that reads nothing, and in records of versions
    /// that did not write it.
    #[serde(default)]
    pub(crate) made_from: Vec<String>,
    /// The files.
    pub outputs: Vec<Output>,
}

impl RecordFile {
    /// The joint content of the files: a digest of their paths and hashes.
    pub(crate) fn content(&self) -> ContentDigest {
        let list: String = self.outputs.iter().map(|output| format!("{} {}\n", output.sha256, output.path)).collect();
        content_of(list.as_bytes())
    }

    /// The full paths of the files.
    pub(crate) fn paths(&self, store: &ResultStore) -> Vec<PathBuf> {
        self.outputs.iter().map(|output| store.place(&output.path)).collect()
    }

    /// What the files were made from; empty where that is not known.
    pub(crate) fn sources(&self) -> Sources {
        Sources::of_words(self.made_from.iter().map(String::as_str)).unwrap_or_default()
    }
}

/// One published file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Its path, relative to the project root.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its length in bytes.
    pub(crate) size: u64,
    /// Its modification time in nanoseconds since 1970. As long as this stays the same, the file is not hashed again.
    pub(crate) mtime_ns: i64,
}

/// The state in which a published file is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundState {
    /// Its size and time are as recorded.
    Same,
    /// The same bytes under another modification time, which this holds.
    Touched(i64),
    /// There is no such file.
    Missing,
    /// It has other bytes.
    Damaged,
}

impl Output {
    /// The record of a file that was published with these bytes and had this modification time then.
    pub(crate) fn meant(path: String, bytes: &[u8], mtime_ns: i64) -> Self {
        Self { path, sha256: hex(content(bytes)), size: bytes.len() as u64, mtime_ns }
    }

    /// Hashes a file that is in place.
    pub(crate) fn of(store: &ResultStore, path: &str) -> Result<Self, StoreError> {
        let full = store.place(path);
        let (sha256, size, mtime_ns) = hash_file(&full).map_err(StoreError::at("read", &full))?;
        Ok(Self { path: path.to_owned(), sha256, size, mtime_ns })
    }

    /// Checks size and time of the file. Hashes it if its time differs, or if `thorough`.
    pub(crate) fn check(&self, store: &ResultStore, thorough: bool) -> Result<FoundState, StoreError> {
        let full = store.place(&self.path);
        let meta = match fs::metadata(&full) {
            Ok(meta) => meta,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(FoundState::Missing);
            }
            Err(error) => return Err(StoreError::at("read", &full)(error)),
        };
        if meta.len() != self.size {
            return Ok(FoundState::Damaged);
        }
        if modified(&meta) == self.mtime_ns && !thorough {
            return Ok(FoundState::Same);
        }
        let (sha256, _, mtime_ns) = hash_file(&full).map_err(StoreError::at("read", &full))?;
        Ok(match (sha256 == self.sha256, mtime_ns == self.mtime_ns) {
            (true, true) => FoundState::Same,
            (true, false) => FoundState::Touched(mtime_ns),
            (false, _) => FoundState::Damaged,
        })
    }
}

/// SHA-256 in hexadecimal, length, and modification time of a file.
fn hash_file(path: &Path) -> io::Result<(String, u64, i64)> {
    let mut file = File::open(path)?;
    let meta = file.metadata()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((hex(hash.finalize()), meta.len(), modified(&meta)))
}

/// What is stored under a name, with that name: under another one it is not believed. What earlier versions wrote has no
/// name.
#[derive(Serialize, Deserialize)]
struct NamedRecord<T> {
    #[serde(default)]
    name: Option<String>,
    #[serde(flatten)]
    content: T,
}

/// Reads what is stored in a file under a name; `None` if it is not there, cannot be read or is of another name.
fn named<T: DeserializeOwned>(path: &Path, name: &str) -> Option<T> {
    let found: NamedRecord<T> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    found.name.is_none_or(|found| found == name).then_some(found.content)
}

/// Reads a record; `None` if there is none, if it cannot be read, is of another name or its key or fingerprint is none, or
/// if it names a path
/// that is not inside the project: what a record names is read, and may be removed.
pub fn record(store: &ResultStore, name: &str) -> Option<RecordFile> {
    let record: RecordFile = named(&store.note("records", name), name)?;
    let is_digest = |text: &String| unhex::<32>(text).is_some();
    let sound = [&record.key, &record.fingerprint].into_iter().all(is_digest);
    (sound && record.outputs.iter().all(|output| is_inside(Path::new(&output.path)))).then_some(record)
}

/// Whether a path relative to the project's folder stays inside it.
pub(crate) fn is_inside(path: &Path) -> bool {
    !path.as_os_str().is_empty() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Writes a record.
pub(crate) fn save_record(
    store: &ResultStore,
    scratch: &Scratch,
    name: &str,
    record: &RecordFile,
) -> Result<(), StoreError> {
    save(scratch, &store.note("records", name), name, record)
}

/// Writes a note about the item under `key`; `what` is `failures` or `unavailable`.
pub(crate) fn save_note(
    store: &ResultStore,
    scratch: &Scratch,
    what: &str,
    key: &Digest,
    note: &impl Serialize,
) -> Result<(), StoreError> {
    save(scratch, &note_path(store, what, key), &hex(key), note)
}

/// Writes what is stored under a name as JSON.
fn save(scratch: &Scratch, path: &Path, name: &str, content: impl Serialize) -> Result<(), StoreError> {
    let named = NamedRecord { name: Some(name.to_owned()), content };
    let mut bytes =
        serde_json::to_vec_pretty(&named).map_err(|error| StoreError::at("write", path)(io::Error::other(error)))?;
    bytes.push(b'\n');
    scratch.publish(&bytes, path).map(drop)
}

/// The names of the JSON files in a folder and those in it: `figure/casp-loss`.
pub(crate) fn stems(folder: &Path) -> Result<Vec<String>, StoreError> {
    let mut all = Vec::new();
    let mut open: Vec<String> = names(folder)?;
    while let Some(path) = open.pop() {
        match path.strip_suffix(".json") {
            Some(name) => all.push(name.to_owned()),
            None => open.extend(names(&folder.join(&path))?.into_iter().map(|name| format!("{path}/{name}"))),
        }
    }
    Ok(all)
}

/// The names of all records, sorted: `figure/casp-loss`.
pub(crate) fn record_names(store: &ResultStore) -> Result<Vec<String>, StoreError> {
    let mut all = Vec::new();
    let own = store.base().join("results/store/records");
    let folders = match store.variant() {
        Some(_) => vec![store.folder("records"), own],
        None => vec![own],
    };
    for records in &folders {
        all.extend(stems(records)?);
    }
    // Of the project's own records, a variant has those that are shared.
    all.retain(|name| store.note("records", name).is_file());
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// What is remembered about an item that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FailureNote {
    /// The stage's name.
    pub stage: String,
    /// The item's label.
    pub item: String,
    /// The error.
    pub(crate) error: String,
}

/// What is remembered about an item that could not be reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnavailableNote {
    /// The stage's name.
    pub stage: String,
    /// Why, and under which circumstances.
    pub(crate) unreached: Unreached,
    /// When it may be tried again, in seconds since 1970.
    pub(crate) until: f64,
}

/// The path of a note about the item under `key`; `what` is `failures` or `unavailable`.
pub(crate) fn note_path(store: &ResultStore, what: &str, key: &Digest) -> std::path::PathBuf {
    store.folder(what).join(format!("{}.json", hex(key)))
}

fn notes<T: DeserializeOwned>(store: &ResultStore, what: &str) -> Result<HashMap<Digest, T>, StoreError> {
    let folder = store.folder(what);
    let mut notes = HashMap::new();
    for name in names(&folder)? {
        let Some(stem) = name.strip_suffix(".json") else { continue };
        if let (Some(key), Some(note)) = (unhex(stem), named(&folder.join(&name), stem)) {
            notes.insert(key, note);
        }
    }
    Ok(notes)
}

/// What the store holds at this moment (`now`, in seconds since 1970; without it, what could not be reached counts as
/// unavailable however long ago that was). With `repair`, the records of files that were
/// touched but have the same bytes are updated, so that these files are not hashed again the next time.
pub fn snapshot(store: &ResultStore, repair: bool, now: Option<f64>) -> Result<Snapshot, StoreError> {
    let (objects, damaged) = store.objects(repair, false)?;
    let mut records = HashMap::new();
    for name in record_names(store)? {
        let Some(mut file) = record(store, &name) else { continue };
        let (Some(key), Some(fingerprint)) = (unhex(&file.key), unhex(&file.fingerprint)) else { continue };
        let mut state = PublishedState::Intact;
        let mut touched = false;
        for output in &mut file.outputs {
            match output.check(store, false)? {
                FoundState::Same => {}
                FoundState::Touched(time) => {
                    output.mtime_ns = time;
                    touched = true;
                }
                FoundState::Missing => state = PublishedState::Missing(output.path.clone()),
                FoundState::Damaged => state = PublishedState::Damaged(output.path.clone()),
            }
        }
        if touched && repair {
            // An error is no harm: this only saves hashing, and a store that cannot be written to stays readable.
            let _ = Scratch::open(store).and_then(|scratch| save_record(store, &scratch, &name, &file));
        }
        let (made_from, content) = (file.sources(), file.content());
        let files = file.outputs.into_iter().map(|output| output.path).collect();
        records.insert(name, PublishedFiles { key, fingerprint, made_from, content, files, state });
    }
    let failures = notes::<FailureNote>(store, "failures")?.into_iter().map(|(key, note)| (key, note.error)).collect();
    // A clock that is set back must not keep something unavailable for longer.
    let holds =
        |note: &UnavailableNote| now.is_none_or(|now| now < note.until && note.until <= now + UNAVAILABLE_SECONDS);
    let unavailable = notes::<UnavailableNote>(store, "unavailable")?;
    let unavailable = unavailable.into_iter().filter(|(_, note)| holds(note));
    let unavailable = unavailable.map(|(key, note)| (key, note.unreached)).collect();
    Ok(Snapshot { objects, damaged, records, failures, unavailable })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::work::Unavailable;

    #[test]
    fn a_record_that_leads_out_of_the_project_is_none() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path().join("project"));
        let scratch = Scratch::open(&store).expect("a scratch folder");
        let absolute = folder.path().join("victim.txt").display().to_string();
        for (path, read) in [
            ("results/runs/a.parquet", true),
            ("../victim.txt", false),
            ("results/../../victim.txt", false),
            (&*absolute, false),
            ("", false),
        ] {
            let output = Output { path: path.into(), sha256: String::new(), size: 0, mtime_ns: 0 };
            let file = RecordFile {
                key: "0".repeat(64),
                fingerprint: "0".repeat(64),
                made_from: Vec::new(),
                outputs: vec![output],
            };
            save_record(&store, &scratch, "figure/a", &file).expect("a record");
            assert_eq!(record(&store, "figure/a").is_some(), read, "{path}");
        }
        // What another system leaves beside a file that it has opened.
        fs::write(store.folder("records/figure/._a.json"), "").expect("a file");
        assert_eq!(record_names(&store).expect("names"), ["figure/a"]);
    }
    /// A run tries again after a while; results that were made without the data stay complete for `verify`.
    #[test]
    fn data_stay_unavailable_where_no_time_is_given() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path().join("project"));
        let scratch = Scratch::open(&store).expect("a scratch folder");
        let unavailable = Unavailable { reason: "no network".into(), remedy: "connect".into() };
        let unreached = Unreached { unavailable, circumstances: String::new() };
        let note = UnavailableNote { stage: "fetch/a".into(), unreached, until: 1000.0 };
        save_note(&store, &scratch, "unavailable", &[7; 32], &note).expect("a note");
        for (now, holds) in [(Some(999.0), true), (Some(1001.0), false), (Some(1.0), false), (None, true)] {
            let found = snapshot(&store, false, now).expect("a snapshot");
            assert_eq!(found.unavailable.len(), usize::from(holds), "{now:?}");
        }
    }
}
