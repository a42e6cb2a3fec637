//! The store: objects under their keys, with records and notes beside them. It can be read even if nothing exists yet.
//!
//! ```text
//! results/store/objects/ab/<key, 64 hex>.<content, 32 hex>.<sources>.<extension>
//!                                               sealed: read-only, with a fixed mtime; the sources (32 hex for each
//!                                               stage that was read) are left out where nothing was read
//! results/store/records/<kind>/<name>.json      what was published, and from what
//! results/store/manifests/<kind>/<name>.json    parameters and code of the last run, for `explain`
//! results/store/failures/<key>.json             errors of items that failed
//! results/store/unavailable/<key>.json          what could not be reached a short while ago
//! results/store/claims/<key>                    locks of items being made
//! results/store/partial/<key>                   what an unfinished item has come to, with a SHA-256
//! results/store/batches/<name>                  which shard has which cell
//! results/store/tmp/<host>.<process>/           files being written; beside it a file that its process holds
//! results/store/tenancy                         a file that runs hold together, and `gc` and `clean` alone
//! results/log/                                  times, hosts, runs
//! variants/<variant>/                           what a variant has published, with records and manifests of its own
//! ```
//!
//! A variant is what a run with other parameters publishes. It shares objects, notes and logs with the project, and its
//! files stand apart, so that it overwrites nothing.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::exec::remote::Remote;
use crate::plan::key::{hex, unhex};
use crate::plan::snapshot::Object;
use crate::plan::sources::{ContentDigest, Sources, content_of};
use crate::plan::work::Digest;

/// An error of the file system, which says what was being done, to which file, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {source}{}", .path.display(), remedy(.source))]
pub struct StoreError {
    /// What was being done, as a verb: `write`.
    pub doing: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl StoreError {
    /// For `map_err`.
    pub(crate) fn at<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self { doing, path: path.to_owned(), source }
    }

    /// What was read of `path`; None if it is not there.
    pub(crate) fn if_there<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>, Self> {
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            other => other.map(Some).map_err(Self::at("read", path)),
        }
    }

    /// Whether any further write will fail as well, so that there is no point in going on.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(
            self.source.kind(),
            ErrorKind::StorageFull
                | ErrorKind::QuotaExceeded
                | ErrorKind::ReadOnlyFilesystem
                | ErrorKind::PermissionDenied
                | ErrorKind::FileTooLarge
        )
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; free some space and run the same command again",
        ErrorKind::FileTooLarge => "; raise the file-size limit (ulimit -f) and run the same command again",
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
            "; make the folder writable and run the same command again"
        }
        ErrorKind::Unsupported => "; the file system must support locks (NFS 4, Lustre mounted with -o flock)",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "; a file is where a folder should be: move it away and run the same command again"
        }
        _ => "",
    }
}

/// The folder of variants, below that of the project.
pub(crate) const VARIANTS: &str = "variants";

/// Whether variants share what a stage has published: data.
pub(crate) fn shared(stage: &str) -> bool {
    stage.starts_with("fetch/")
}

/// A project's store. No folder is created until something is written.
#[derive(Clone, Debug)]
pub struct ResultStore {
    root: PathBuf,
    variant: Option<String>,
    remote: Option<Arc<dyn Remote>>,
}

/// The parts of an object's file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The key.
    pub key: Digest,
    /// The first 16 bytes of the SHA-256 of its bytes.
    pub content: ContentDigest,
    /// What it was made from.
    pub sources: Sources,
}

impl ObjectName {
    /// Reads `<key>.<content>.<sources>.<extension>`, or the same without sources.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.splitn(3, '.');
        let key = unhex(parts.next()?)?;
        let content = unhex(parts.next()?)?;
        let sources = parts.next()?.split_once('.').and_then(|(sources, _)| Sources::parse(sources));
        Some(Self { key, content, sources: sources.unwrap_or_default() })
    }

    /// The name of an object that was made from `sources`.
    pub fn format(key: &Digest, bytes: &[u8], sources: &Sources, extension: &str) -> String {
        let mut parts = vec![hex(key), hex(content_of(bytes))];
        if !sources.is_empty() {
            parts.push(sources.words().concat());
        }
        parts.push(extension.to_owned());
        parts.join(".")
    }

    /// The modification time of an untouched object: 2000-01-01 plus the first 28 bits of its content, in seconds.
    /// Whatever writes to the file, or copies it without its times, changes it, and then the file is hashed again.
    pub fn seal(&self) -> SystemTime {
        let word = u32::from_be_bytes([self.content[0], self.content[1], self.content[2], self.content[3]]);
        UNIX_EPOCH + Duration::from_secs(946_684_800 + u64::from(word >> 4))
    }

    /// Whether these are the bytes that were stored.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        content_of(bytes) == self.content
    }
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// It is gone, or its bytes are not those that were stored.
    #[error("{} is {}", .path.display(), if *.gone { "gone" } else { "damaged" })]
    Damaged {
        /// Its file.
        path: PathBuf,
        /// Whether there is no file at all.
        gone: bool,
    },
    /// It could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// All intact objects by key, and all damaged ones by key.
pub(crate) type Objects = (HashMap<Digest, Object>, HashMap<Digest, Object>);

impl ResultStore {
    /// The store of the project in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), variant: None, remote: None }
    }

    /// The same store, publishing as the variant of this name, which is that of a folder; as the project itself without
    /// one.
    pub fn of_variant(self, variant: Option<String>) -> Self {
        Self { variant, ..self }
    }

    /// The same store, whose objects are shared through a place that others reach, too; with none, as it is.
    pub fn shared_in(self, remote: Option<Arc<dyn Remote>>) -> Self {
        Self { remote, ..self }
    }

    /// Where its objects are shared.
    pub(crate) fn remote(&self) -> Option<&dyn Remote> {
        self.remote.as_deref()
    }

    /// The name of the variant that it publishes as.
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the paths of published files are relative to, data apart.
    pub fn base(&self) -> PathBuf {
        match &self.variant {
            Some(variant) => self.root.join(VARIANTS).join(variant),
            None => self.root.clone(),
        }
    }

    /// The full path of a published file. Data are those of the project, whatever is made from them.
    pub(crate) fn place(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        if path.starts_with("data") { self.root.join(path) } else { self.base().join(path) }
    }

    /// The file of what is noted about a stage under `what` (`records`, `manifests`).
    pub fn note(&self, what: &str, stage: &str) -> PathBuf {
        let folder = if shared(stage) { self.folder(what) } else { self.base().join("results/store").join(what) };
        folder.join(format!("{stage}.json"))
    }

    /// A folder of the store.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.join("results/store").join(name)
    }

    /// The folder of logs.
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("results/log")
    }

    /// The file of an object, by name.
    pub fn object_path(&self, name: &str) -> PathBuf {
        self.folder("objects").join(name.get(..2).unwrap_or("xx")).join(name)
    }

    /// The file name of the object under `key`, looked up in its folder; the first one if there are several.
    pub fn find(&self, key: &Digest) -> Result<Option<String>, StoreError> {
        Ok(self.find_all(key)?.into_iter().next())
    }

    /// The file names of all objects under `key`, sorted. There are several only if a run was killed while it
    /// replaced one.
    pub fn find_all(&self, key: &Digest) -> Result<Vec<String>, StoreError> {
        let key = hex(key);
        let mut found = names(&self.folder("objects").join(&key[..2]))?;
        found.retain(|name| name.starts_with(&key) && ObjectName::parse(name).is_some());
        found.sort_unstable();
        Ok(found)
    }

    /// The verified bytes of an object.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ObjectError> {
        let path = self.object_path(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(ObjectError::Damaged { path, gone: true }),
            Err(error) => return Err(StoreError::at("read", &path)(error).into()),
        };
        match ObjectName::parse(name) {
            Some(parsed) if parsed.matches(&bytes) => Ok(bytes),
            _ => Err(ObjectError::Damaged { path, gone: false }),
        }
    }

    /// All objects. Files whose modification time is not their seal are hashed; with `repair`, those with the right
    /// bytes are sealed again. With `everything`, all files are hashed.
    pub(crate) fn objects(&self, repair: bool, everything: bool) -> Result<Objects, StoreError> {
        let shards = names(&self.folder("objects"))?;
        let found: Vec<Vec<(bool, ObjectName, String)>> =
            shards.par_iter().map(|shard| self.shard(shard, repair, everything)).collect::<Result<_, _>>()?;
        let (mut sound, mut damaged) = Objects::default();
        for (is_sound, parsed, name) in found.into_iter().flatten() {
            keep_first(if is_sound { &mut sound } else { &mut damaged }, parsed, name);
        }
        Ok((sound, damaged))
    }

    /// The objects in one folder of the store, and whether each is sound.
    fn shard(
        &self,
        shard: &str,
        repair: bool,
        everything: bool,
    ) -> Result<Vec<(bool, ObjectName, String)>, StoreError> {
        let folder = self.folder("objects").join(shard);
        let entries = match fs::read_dir(&folder) {
            // Not one of our folders.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Vec::new());
            }
            other => other.map_err(StoreError::at("list", &folder))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::at("list", &folder))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some(parsed) = ObjectName::parse(&name) else { continue };
            let sealed = entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time == parsed.seal());
            if sealed && !everything {
                found.push((true, parsed, name));
                continue;
            }
            match self.read(&name) {
                Ok(_) => {
                    if repair && !sealed {
                        // An error is no harm: a store that cannot be written to stays readable, and the next run
                        // hashes the file again.
                        let _ = File::open(entry.path()).and_then(|file| file.set_modified(parsed.seal()));
                    }
                    found.push((true, parsed, name));
                }
                Err(ObjectError::Damaged { gone: true, .. }) => {}
                Err(ObjectError::Damaged { .. }) => found.push((false, parsed, name)),
                Err(ObjectError::Store(error)) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Removes a file, which may be gone already.
    pub fn remove(&self, path: &Path) -> Result<(), StoreError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::at("remove", path)(error)),
            _ => Ok(()),
        }
    }
}

/// If there are several files under one key, the first by name counts, so that all readers see the same one.
fn keep_first(map: &mut HashMap<Digest, Object>, name: ObjectName, file: String) {
    if map.get(&name.key).is_none_or(|kept| file < kept.file) {
        map.insert(name.key, Object { file, content: name.content, made_from: name.sources });
    }
}

/// The names in a folder, in no particular order; none if it does not exist. Hidden files are not ours: editors and
/// other systems put them there.
pub fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::at("list", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::at("list", folder))?;
        names.extend(entry.file_name().into_string().ok().filter(|name| !name.starts_with('.')));
    }
    Ok(names)
}
