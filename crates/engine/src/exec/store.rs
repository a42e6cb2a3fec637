//! The store: objects under their keys, with records and notes beside them. It can be read even if nothing exists yet.
//!
//! ```text
//! results/store/objects/ab/<key, 64 hex>.<content, 32 hex>.<sources>.<extension>
//!                                               sealed: read-only, with a fixed mtime; the sources (32 hex for each
//!                                               stage that was read) are left out where nothing was read
//! results/store/packs/<number>-<SHA-256>.zip    many small objects each
//! results/store/packs/<host>.<process>-*.open   cheap objects of a run that goes on
//! results/store/records/<kind>/<name>.json      what was published, and from what
//! results/store/manifests/<kind>/<name>.json    parameters and code of the last run, for `explain`
//! results/store/failures/<key>.json             errors of items that failed
//! results/store/unavailable/<key>.json          what could not be reached a short while ago
//! results/store/claims/<key>                    locks of items being made
//! results/store/partial/<key>                   what an unfinished item has come to, with a SHA-256
//! results/store/batches/<name>                  which shard has which cell
//! results/store/tmp/<host>.<process>/           files being written, and those of leases; beside it a file that its
//!                                               process holds
//! results/store/tenancy                         a file that runs hold together, and `gc` and `clean` alone
//! results/log/                                  times, hosts, runs
//! variants/<variant>/                           what a variant has published, with records and manifests of its own
//! ```
//!
//! A variant is what a run with other parameters publishes. It shares objects, notes and logs with the project, and its
//! files stand apart, so that it overwrites nothing.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

pub use crate::exec::object::{ObjectError, ObjectName, StoreError, names};
use crate::exec::packs::Packs;
use crate::exec::remote::Remote;
use crate::plan::key::hex;
use crate::plan::snapshot::Object;
use crate::plan::work::Digest;

/// The folder of variants, below that of the project.
pub(crate) const VARIANTS: &str = "variants";

/// The names of the variants of the project in `root`, sorted.
pub fn variants(root: &Path) -> Vec<String> {
    let folders = fs::read_dir(root.join(VARIANTS)).into_iter().flatten().flatten();
    let mut names: Vec<String> = folders.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// Whether variants share what a stage has published: data.
pub(crate) fn shared(stage: &str) -> bool {
    stage.starts_with("fetch/")
}

/// A project's store. No folder is created until something is written.
#[derive(Clone, Debug)]
pub struct ResultStore {
    root: PathBuf,
    store: PathBuf,
    variant: Option<String>,
    remote: Option<Arc<dyn Remote>>,
    packs: Arc<Packs>,
}

/// All intact objects by key, and all damaged ones by key.
pub(crate) type Objects = (HashMap<Digest, Object>, HashMap<Digest, Object>);

impl ResultStore {
    /// The store of the project in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let packs = Arc::new(Packs::new(root.join("results/store/packs")));
        Self { store: root.join("results/store"), root, variant: None, remote: None, packs }
    }

    /// The store in a folder of results, to look up and read objects.
    pub fn of_results(results: &Path) -> Self {
        let store = results.join("store");
        Self { packs: Arc::new(Packs::new(store.join("packs"))), store, ..Self::new(results) }
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
        self.store.join(name)
    }

    /// The folder of logs.
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("results/log")
    }

    /// Its packs.
    pub(crate) fn packs(&self) -> &Packs {
        &self.packs
    }

    /// The file of an object that lies by itself, by name.
    pub fn object_path(&self, name: &str) -> PathBuf {
        self.folder("objects").join(name.get(..2).unwrap_or("xx")).join(name)
    }

    /// The name of the object under `key`; the first one if there are several.
    pub fn find(&self, key: &Digest) -> Result<Option<String>, StoreError> {
        Ok(self.find_all(key)?.into_iter().next())
    }

    /// The names of all objects under `key` that lie by themselves, sorted; if there are none, that of the packed one.
    /// There are several only if a run was killed while it replaced one.
    pub fn find_all(&self, key: &Digest) -> Result<Vec<String>, StoreError> {
        let digits = hex(key);
        let alone = || -> Result<Vec<String>, StoreError> {
            let mut found = names(&self.folder("objects").join(&digits[..2]))?;
            found.retain(|name| name.starts_with(&digits) && ObjectName::parse(name).is_some());
            found.sort_unstable();
            Ok(found)
        };
        let mut found = alone()?;
        if found.is_empty() {
            // An object is in its pack before it no longer lies by itself, or the other way round.
            match self.packs.find(key)? {
                Some(packed) => found.push(packed),
                None => found = alone()?,
            }
        }
        Ok(found)
    }

    /// How many bytes an object has; none if it is gone.
    pub(crate) fn length(&self, name: &str) -> u64 {
        let alone = fs::metadata(self.object_path(name)).map(|meta| meta.len()).ok();
        alone.or_else(|| self.packs.length(name)).unwrap_or(0)
    }

    /// The verified bytes of an object.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ObjectError> {
        let path = self.object_path(name);
        let is_sound = |bytes: &Vec<u8>| ObjectName::parse(name).is_some_and(|parsed| parsed.matches(bytes));
        let alone = StoreError::if_there(&path, fs::read(&path))?;
        let gone = alone.is_none();
        if let Some(bytes) = alone.filter(is_sound) {
            return Ok(bytes);
        }
        let packed = self.packs.read(name)?;
        let gone = gone && packed.is_none();
        match packed.filter(is_sound) {
            Some(bytes) => Ok(bytes),
            None => Err(ObjectError::Damaged { path: self.lies_in(name)?, gone }),
        }
    }

    /// Whether an object is what is found under its key, or would be if what is found were not damaged.
    pub(crate) fn is_current(&self, name: &str) -> bool {
        let Some(parsed) = ObjectName::parse(name) else { return false };
        match self.find(&parsed.key) {
            Ok(Some(found)) => found == name || matches!(self.read(&found), Err(ObjectError::Damaged { .. })),
            Ok(None) => false,
            // Who cannot look keeps it.
            Err(_) => true,
        }
    }

    /// Whether the object of this name that lies by itself is sound; None if there is none.
    pub(crate) fn is_sound_alone(&self, name: &str) -> Result<Option<bool>, StoreError> {
        let path = self.object_path(name);
        let bytes = StoreError::if_there(&path, fs::read(&path))?;
        Ok(bytes.map(|bytes| ObjectName::parse(name).is_some_and(|parsed| parsed.matches(&bytes))))
    }

    /// The file that an object lies in: its own, or a pack.
    pub(crate) fn lies_in(&self, name: &str) -> Result<PathBuf, StoreError> {
        let path = self.object_path(name);
        if path.exists() { Ok(path) } else { Ok(self.packs.holder(name)?.unwrap_or(path)) }
    }

    /// Sees to it that a damaged object is found by nobody, so that it is made again.
    pub(crate) fn discard(&self, name: &str) -> Result<(), StoreError> {
        let path = self.object_path(name);
        if path.exists() { self.remove(&path) } else { self.packs.distrust(name) }
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
        let (packed, broken) = self.packs.all(repair, everything)?;
        for (key, object) in packed {
            sound.entry(key).or_insert(object);
        }
        for (parsed, name) in broken {
            if !sound.contains_key(&parsed.key) {
                keep_first(&mut damaged, parsed, name);
            }
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
            match self.is_sound_alone(&name)? {
                Some(true) => {
                    if repair && !sealed {
                        // An error is no harm: a store that cannot be written to stays readable, and the next run
                        // hashes the file again.
                        let _ = File::open(entry.path()).and_then(|file| file.set_modified(parsed.seal()));
                    }
                    found.push((true, parsed, name));
                }
                Some(false) => found.push((false, parsed, name)),
                None => {}
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
