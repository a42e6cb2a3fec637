//! `results/pipeline.lock`: names, keys and content hashes of the published results, one line each, sorted. Committed,
//! so that another machine, or a later commit, can be compared.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::exec::books::record;
use crate::exec::scratch::Scratch;
use crate::exec::store::{ObjectName, Store, StoreError};
use crate::plan::key::{hex, whole};
use crate::plan::planner::{Plan, Standing};
use crate::plan::snapshot::{Snapshot, record_name};
use crate::plan::work::{Graph, Storage};

/// Keys and content hashes by name: the path of a published file, or the name of a stage whose items are objects
/// (then over all items, in order).
pub type Lines = BTreeMap<String, (String, String)>;

/// Where the lock is.
pub fn path(store: &Store) -> PathBuf {
    store.root().join("results/pipeline.lock")
}

/// The lines of what is there and fresh.
pub fn current(graph: &Graph, plan: &Plan, snapshot: &Snapshot, store: &Store) -> Lines {
    let mut lines = Lines::new();
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| plan.selection.stages[*index]) {
        let keys = &plan.keys[index];
        if !stage.work.reproducible() || plan.standings[index].iter().any(|standing| *standing != Standing::Fresh) {
            continue;
        }
        match stage.storage {
            Storage::Object { .. } => {
                let contents = keys.iter().filter_map(|key| ObjectName::parse(snapshot.objects.get(key)?));
                let contents: Vec<[u8; 32]> = contents
                    .map(|name| {
                        let mut padded = [0; 32];
                        padded[..16].copy_from_slice(&name.content);
                        padded
                    })
                    .collect();
                lines.insert(stage.name.clone(), (hex(&whole(keys.iter())), hex(&whole(contents.iter()))));
            }
            Storage::Files => {
                for key in keys {
                    let outputs = record(store, &record_name(stage, key)).map(|record| record.outputs);
                    for output in outputs.unwrap_or_default() {
                        lines.insert(output.path, (hex(key), output.sha256));
                    }
                }
            }
        }
    }
    lines
}

/// The lock as committed; `None` if there is none.
pub fn load(store: &Store) -> Result<Option<Lines>, StoreError> {
    let path = path(store);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(StoreError::at("read", &path))?,
    };
    let lines = text.lines().filter_map(|line| {
        // Names may hold spaces, hashes do not.
        let mut words = line.rsplitn(3, ' ');
        let (content, key, name) = (words.next()?, words.next()?, words.next()?);
        Some((name.to_owned(), (key.to_owned(), content.to_owned())))
    });
    Ok(Some(lines.collect()))
}

/// Writes the lock.
pub fn write(lines: &Lines, store: &Store) -> Result<(), StoreError> {
    let text: String = lines.iter().map(|(name, (key, content))| format!("{name} {key} {content}\n")).collect();
    Scratch::open(store)?.publish(text.as_bytes(), &path(store))
}

/// How results differ from the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// The same key, another content: the computation is not deterministic, or rounds differently on this machine.
    Content(String),
    /// Another key and another content: parameters, inputs or code changed since the lock was written.
    Changed(String),
    /// In the lock, but not made here.
    Absent(String),
    /// Made here, but not in the lock.
    New(String),
}

impl Deviation {
    /// Whether a comparison failed (rather than could not be made).
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Content(_) | Self::Changed(_))
    }
}

impl std::fmt::Display for Deviation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Content(name) => write!(f, "{name}: differs from pipeline.lock although its key is the same"),
            Self::Changed(name) => {
                write!(f, "{name}: differs from pipeline.lock: parameters, inputs or code changed since")
            }
            Self::Absent(name) => write!(f, "{name}: in pipeline.lock, but not made here"),
            Self::New(name) => write!(f, "{name}: not in pipeline.lock"),
        }
    }
}

/// Compares results with the lock, sorted by name.
pub fn compare(here: &Lines, lock: &Lines) -> Vec<Deviation> {
    let mut names: Vec<&String> = here.keys().chain(lock.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter_map(|name| match (here.get(name), lock.get(name)) {
            (Some((_, here)), Some((_, there))) if here == there => None,
            (Some((here, _)), Some((there, _))) if here == there => Some(Deviation::Content(name.clone())),
            (Some(_), Some(_)) => Some(Deviation::Changed(name.clone())),
            (None, _) => Some(Deviation::Absent(name.clone())),
            (_, None) => Some(Deviation::New(name.clone())),
        })
        .collect()
}
