//! `results/pipeline.lock`: names, keys and content hashes of the published results, one line each, sorted. It is
//! committed, so that results of another machine or a later commit can be compared with it.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::exec::records::record;
use crate::exec::scratch::Scratch;
use crate::exec::store::{ReadError, Store, StoreError};
use crate::plan::key::{hex, whole};
use crate::plan::planner::{Plan, Standing};
use crate::plan::snapshot::{Snapshot, record_name};
use crate::plan::work::{Graph, Storage};

/// One result: its key, the hash of its content, and a number that sums it up, if it has one. Between processors that
/// round differently bytes may differ; the number then tells whether the results agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Key, in hexadecimal.
    pub key: String,
    /// SHA-256 of the content, in hexadecimal.
    pub content: String,
    /// The sum of [`crate::plan::work::Work::value`] over the items of a stage.
    pub value: Option<f64>,
}

/// Results by name. A name is the path of a published file, or a stage whose items are objects; the line of a stage
/// covers all its items, in order.
pub type Lines = BTreeMap<String, Line>;

/// Values whose relative difference is at most this count as equal.
const TOLERANCE: f64 = 1e-9;

/// The path of the lock file.
pub fn path(store: &Store) -> PathBuf {
    store.root().join("results/pipeline.lock")
}

/// The lines of the results that are there and fresh.
pub fn current(graph: &Graph, plan: &Plan, snapshot: &Snapshot, store: &Store) -> Result<Lines, StoreError> {
    let mut lines = Lines::new();
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| plan.selection.stages[*index]) {
        let keys = &plan.keys[index];
        if !stage.work.reproducible() || plan.standings[index].iter().any(|standing| *standing != Standing::Fresh) {
            continue;
        }
        match stage.storage {
            Storage::Object { .. } => {
                let objects: Vec<_> = keys.iter().filter_map(|key| snapshot.objects.get(key)).collect();
                let contents: Vec<[u8; 32]> = objects
                    .iter()
                    .map(|object| {
                        let mut padded = [0; 32];
                        padded[..16].copy_from_slice(&object.content);
                        padded
                    })
                    .collect();
                let mut value = None;
                for object in objects {
                    // A damaged object has been reported already and has no value.
                    let bytes = match store.read(&object.file) {
                        Ok(bytes) => bytes,
                        Err(ReadError::Damaged { .. }) => continue,
                        Err(ReadError::Store(error)) => return Err(error),
                    };
                    if let Some(one) = stage.work.value(&bytes) {
                        value = Some(value.unwrap_or(0.0) + one);
                    }
                }
                let (key, content) = (hex(whole(keys.iter())), hex(whole(contents.iter())));
                lines.insert(stage.name.clone(), Line { key, content, value });
            }
            Storage::Files => {
                for key in keys {
                    let outputs = record(store, &record_name(stage, key)).map(|record| record.outputs);
                    for output in outputs.unwrap_or_default() {
                        let line = Line { key: hex(key), content: output.sha256, value: None };
                        lines.insert(output.path, line);
                    }
                }
            }
        }
    }
    Ok(lines)
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
        let mut words = line.rsplitn(4, ' ');
        let (value, content, key, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let line = Line { key: key.to_owned(), content: content.to_owned(), value: value.parse().ok() };
        Some((name.to_owned(), line))
    });
    Ok(Some(lines.collect()))
}

/// Writes the lock.
pub fn write(lines: &Lines, store: &Store) -> Result<(), StoreError> {
    let text: String = lines
        .iter()
        .map(|(name, Line { key, content, value })| {
            let value = value.map_or("-".to_owned(), |value| value.to_string());
            format!("{name} {key} {content} {value}\n")
        })
        .collect();
    Scratch::open(store)?.publish(text.as_bytes(), &path(store)).map(drop)
}

/// How results differ from the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// The same key, but another content: the computation is not deterministic, or rounds differently on this machine.
    Content(String),
    /// The same key, but another content with a value that agrees to 1e-9: this processor rounds differently.
    Close(String),
    /// The same key, but another content, made from results that are [`Deviation::Close`].
    Derived(String),
    /// Another key and another content: parameters, inputs or code changed since the lock was written.
    Changed(String),
    /// In the lock, but not made here.
    Absent(String),
    /// Made here, but not in the lock.
    New(String),
}

impl Deviation {
    /// Whether the comparison failed, and not merely could not be made.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Content(_))
    }
}

impl std::fmt::Display for Deviation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Content(name) => write!(f, "{name}: differs from pipeline.lock although its key is the same"),
            Self::Close(name) => write!(f, "{name}: other bytes than in pipeline.lock, values equal to 1e-9"),
            Self::Derived(name) => {
                write!(f, "{name}: other bytes than in pipeline.lock, made from values equal to 1e-9")
            }
            Self::Changed(name) => {
                write!(f, "{name}: cannot be compared: parameters, inputs or code are not those of pipeline.lock")
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
    let mut deviations: Vec<Deviation> = names
        .into_iter()
        .filter_map(|name| match (here.get(name), lock.get(name)) {
            (Some(here), Some(there)) if here.content == there.content => None,
            (Some(here), Some(there)) if here.key == there.key => Some(match (here.value, there.value) {
                (Some(here), Some(there)) if close(here, there) => Deviation::Close(name.clone()),
                _ => Deviation::Content(name.clone()),
            }),
            (Some(_), Some(_)) => Some(Deviation::Changed(name.clone())),
            (None, _) => Some(Deviation::Absent(name.clone())),
            (_, None) => Some(Deviation::New(name.clone())),
        })
        .collect();
    if deviations.iter().any(|deviation| matches!(deviation, Deviation::Close(_))) {
        for deviation in &mut deviations {
            if let Deviation::Content(name) = deviation
                && here.get(name).is_some_and(|line| line.value.is_none())
            {
                *deviation = Deviation::Derived(std::mem::take(name));
            }
        }
    }
    deviations
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(key: &str, content: &str, value: Option<f64>) -> Line {
        Line { key: key.into(), content: content.into(), value }
    }

    fn lines(cell: Line, file: Line) -> Lines {
        Lines::from([("run/a".to_owned(), cell), ("results/runs/a.parquet".to_owned(), file)])
    }

    #[test]
    fn other_bytes_with_equal_values_are_another_processor() {
        let lock = lines(line("k", "1", Some(2.0)), line("f", "1", None));
        let here = lines(line("k", "2", Some(2.0 + 1e-12)), line("f", "2", None));
        let deviations = compare(&here, &lock);
        assert!(deviations.iter().all(|deviation| !deviation.is_failure()), "{deviations:?}");
        let wrong = lines(line("k", "2", Some(2.0 + 1e-6)), line("f", "2", None));
        assert!(compare(&wrong, &lock).iter().all(Deviation::is_failure));
    }

    #[test]
    fn other_bytes_of_a_file_alone_are_a_failure() {
        let lock = lines(line("k", "1", Some(2.0)), line("f", "1", None));
        let here = lines(line("k", "1", Some(2.0)), line("f", "2", None));
        assert_eq!(compare(&here, &lock), [Deviation::Content("results/runs/a.parquet".into())]);
    }
}
