//! `results/pipeline.lock`: names, keys and content hashes of the published results, one line each, sorted. The first
//! line says how many follow, so that a truncated file is told from a short one; locks of earlier versions lack it. The
//! file is committed, so that results of another machine or a later commit can be compared with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::exec::records::record;
use crate::exec::scratch::Scratch;
use crate::exec::store::{ObjectError, ResultStore, StoreError};
use crate::plan::key::{hex, unhex, whole};
use crate::plan::planner::{ItemStanding, Plan};
use crate::plan::snapshot::{Snapshot, record_name};
use crate::plan::sources::padded;
use crate::plan::work::{Graph, Storage};

/// One result: its key, the hash of its content, and a number that sums it up, if it has one. Between processors that
/// round differently bytes may differ; the number then tells whether the results agree.
#[derive(Clone, Debug, PartialEq)]
pub struct LockLine {
    /// Key, in hexadecimal.
    pub key: String,
    /// SHA-256 of the content, in hexadecimal.
    pub content: String,
    /// The sum of [`crate::plan::work::Work::value`] over the items of a stage.
    pub value: Option<f64>,
}

/// Results by name. A name is the path of a published file, or a stage whose items are objects; the line of a stage
/// covers all its items, in order.
pub(crate) type LockLines = BTreeMap<String, LockLine>;

/// Values whose relative difference is at most this count as equal.
const TOLERANCE: f64 = 1e-9;

/// The stage that each result comes from, by the result's name.
pub(crate) type Makers = BTreeMap<String, usize>;

/// Why there is nothing to compare with.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// A line is not one that a lock has, or lines are missing.
    #[error(
        "{}: {what}; take it from version control again, or write it anew with `noregret verify --write-lock`",
        .path.display()
    )]
    Malformed {
        /// The lock.
        path: PathBuf,
        /// What is wrong with it, and on which line.
        what: String,
    },
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The path of the lock file.
pub fn path(store: &ResultStore) -> PathBuf {
    store.place("results/pipeline.lock")
}

/// The lines of the results that are there and fresh, and the stages that made them.
pub(crate) fn current(
    graph: &Graph,
    plan: &Plan,
    snapshot: &Snapshot,
    store: &ResultStore,
) -> Result<(LockLines, Makers), StoreError> {
    let (mut lines, mut makers) = (LockLines::new(), Makers::new());
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| plan.selection.stages[*index]) {
        let keys = &plan.keys[index];
        if !stage.work.reproducible() || plan.standings[index].iter().any(|standing| *standing != ItemStanding::Fresh) {
            continue;
        }
        match stage.storage {
            Storage::Object { .. } => {
                let objects: Vec<_> = keys.iter().filter_map(|key| snapshot.objects.get(key)).collect();
                let content = hex(whole(objects.iter().map(|object| padded(&object.content))));
                let mut value = None;
                for object in objects {
                    // A damaged object has been reported already and has no value.
                    let bytes = match store.read(&object.file) {
                        Ok(bytes) => bytes,
                        Err(ObjectError::Damaged { .. }) => continue,
                        Err(ObjectError::Store(error)) => return Err(error),
                    };
                    if let Some(one) = stage.work.value(&bytes) {
                        value = Some(value.unwrap_or(0.0) + one);
                    }
                }
                lines.insert(stage.name.clone(), LockLine { key: hex(whole(keys.iter())), content, value });
                makers.insert(stage.name.clone(), index);
            }
            Storage::Files => {
                for key in keys {
                    let outputs = record(store, &record_name(stage, key)).map(|record| record.outputs);
                    for output in outputs.unwrap_or_default() {
                        let line = LockLine { key: hex(key), content: output.sha256, value: None };
                        makers.insert(output.path.clone(), index);
                        lines.insert(output.path, line);
                    }
                }
            }
        }
    }
    Ok((lines, makers))
}

/// The beginning of the first line.
const HEAD: &str = "# results: ";

/// The lock as committed; `None` if there is none.
pub fn load(store: &ResultStore) -> Result<Option<LockLines>, LockError> {
    let path = path(store);
    let Some(bytes) = StoreError::if_there(&path, fs::read(&path))? else { return Ok(None) };
    parse(&bytes).map(Some).map_err(|what| LockError::Malformed { path, what })
}

/// Reads a lock. Every line counts: what cannot be read would otherwise pass as what was not made.
fn parse(bytes: &[u8]) -> Result<LockLines, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    if !text.ends_with('\n') {
        return Err(if text.is_empty() { "it is empty" } else { "its last line is cut off" }.to_owned());
    }
    let (announced, rest) = match text.strip_prefix(HEAD).and_then(|text| text.split_once('\n')) {
        Some((count, rest)) => (count.parse::<usize>().ok(), rest),
        None => (None, text),
    };
    let first = 1 + usize::from(rest.len() < text.len());
    let mut lines = LockLines::new();
    for (number, text) in rest.lines().enumerate() {
        let wrong = |what: &str| Err(format!("line {}: {what}", first + number));
        let Some((name, line)) = line(text) else {
            return wrong("expected a name, a key, a hash and a value (or `-`), with spaces between them");
        };
        if lines.last_key_value().is_some_and(|(last, _)| *last >= name) {
            return wrong(&format!("`{name}` is out of order, or there twice"));
        }
        lines.insert(name, line);
    }
    match announced {
        Some(count) if count != lines.len() => Err(format!("it has {} of its {count} lines", lines.len())),
        _ => Ok(lines),
    }
}

/// Reads one line: the name of a result, and what is said of it.
fn line(text: &str) -> Option<(String, LockLine)> {
    // Names may hold spaces, hashes do not.
    let mut words = text.rsplitn(4, ' ');
    let (value, content, key, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let value = if value == "-" { None } else { Some(value.parse().ok()?) };
    let digests = [key, content].map(unhex::<32>);
    let line = LockLine { key: key.to_owned(), content: content.to_owned(), value };
    (digests.iter().all(Option::is_some) && !name.is_empty()).then(|| (name.to_owned(), line))
}

/// Writes the lock.
pub fn write(lines: &LockLines, store: &ResultStore) -> Result<(), StoreError> {
    let head = format!("{HEAD}{}\n", lines.len());
    let text: String = std::iter::once(head)
        .chain(lines.iter().map(|(name, LockLine { key, content, value })| {
            let value = value.map_or("-".to_owned(), |value| value.to_string());
            format!("{name} {key} {content} {value}\n")
        }))
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

/// How results compare with the lock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LockComparison {
    /// How many results of the lock were compared: they are here, with the same key or the same content.
    pub compared: usize,
    /// The differences, sorted by name.
    pub deviations: Vec<Deviation>,
}

/// Compares results with the lock. `makers` are the stages of the results here.
pub(crate) fn compare(graph: &Graph, here: &LockLines, makers: &Makers, lock: &LockLines) -> LockComparison {
    let names: BTreeSet<&String> = here.keys().chain(lock.keys()).collect();
    let mut comparison = LockComparison::default();
    for name in names {
        comparison.deviations.extend(match (here.get(name), lock.get(name)) {
            (Some(here), Some(there)) if here.content == there.content || here.key == there.key => {
                comparison.compared += 1;
                match (here.value, there.value) {
                    _ if here.content == there.content => None,
                    (Some(here), Some(there)) if close(here, there) => Some(Deviation::Close(name.clone())),
                    _ => Some(Deviation::Content(name.clone())),
                }
            }
            (Some(_), Some(_)) => Some(Deviation::Changed(name.clone())),
            (None, _) => Some(Deviation::Absent(name.clone())),
            (_, None) => Some(Deviation::New(name.clone())),
        });
    }
    // The stages that are close, and then those that read them, directly or through others.
    let mut rounded = vec![false; graph.stages.len()];
    for deviation in &comparison.deviations {
        if let Deviation::Close(name) = deviation {
            makers.get(name).into_iter().for_each(|&stage| rounded[stage] = true);
        }
    }
    let reads = |stage: usize, rounded: &[bool]| {
        graph.stages[stage].items.iter().flat_map(|item| item.inputs.iter()).any(|input| rounded[input.stage])
    };
    for stage in 0..graph.stages.len() {
        rounded[stage] |= reads(stage, &rounded);
    }
    for deviation in &mut comparison.deviations {
        if let Deviation::Content(name) = deviation
            && here.get(name).is_some_and(|line| line.value.is_none())
            && makers.get(name).is_some_and(|&stage| reads(stage, &rounded))
        {
            *deviation = Deviation::Derived(std::mem::take(name));
        }
    }
    comparison
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::work::{Facts, Failure, Item, ItemInput, Job, Need, Product, Stage, Work};

    struct Nothing;

    impl Work for Nothing {
        fn facts(&self, _: usize) -> Facts {
            Facts { parameters: serde_json::Value::Null, code: Arc::default() }
        }

        fn execute(&self, _: usize, _: &dyn Job) -> Result<Product, Failure> {
            Ok(Product::Files(Vec::new()))
        }
    }

    const CELL: &str = "run/a";
    const FILE: &str = "results/runs/a.parquet";
    const OTHER: &str = "results/runs/b.parquet";

    /// run/a -> summarise/a, and summarise/b, which reads nothing.
    fn graph() -> Graph {
        let stage = |name: &str, inputs: &[usize]| {
            let inputs = inputs.iter().map(|&stage| ItemInput { stage, item: None, need: Need::Required }).collect();
            let items = vec![Item { fingerprint: [0; 32], inputs }];
            Stage { name: name.into(), items, work: Arc::new(Nothing), storage: Storage::Files }
        };
        Graph { stages: vec![stage(CELL, &[]), stage("summarise/a", &[0]), stage("summarise/b", &[])] }
    }

    fn line(key: &str, content: &str, value: Option<f64>) -> LockLine {
        LockLine { key: key.into(), content: content.into(), value }
    }

    fn lines(cell: LockLine, file: LockLine, other: LockLine) -> LockLines {
        [(CELL, cell), (FILE, file), (OTHER, other)].map(|(name, line)| (name.to_owned(), line)).into()
    }

    fn compared(here: &LockLines, lock: &LockLines) -> LockComparison {
        let makers = [(CELL, 0), (FILE, 1), (OTHER, 2)].map(|(name, stage)| (name.to_owned(), stage)).into();
        compare(&graph(), here, &makers, lock)
    }

    #[test]
    fn other_bytes_with_equal_values_are_another_processor() {
        let lock = lines(line("k", "1", Some(2.0)), line("f", "1", None), line("o", "1", None));
        let here = lines(line("k", "2", Some(2.0 + 1e-12)), line("f", "2", None), line("o", "1", None));
        let found = compared(&here, &lock);
        assert_eq!(found.deviations, [Deviation::Derived(FILE.into()), Deviation::Close(CELL.into())]);
        assert_eq!((found.compared, found.deviations.iter().any(Deviation::is_failure)), (3, false));
        let wrong = lines(line("k", "2", Some(2.0 + 1e-6)), line("f", "2", None), line("o", "1", None));
        assert!(compared(&wrong, &lock).deviations.iter().all(Deviation::is_failure));
    }

    #[test]
    fn other_bytes_are_derived_only_from_what_is_close() {
        let lock = lines(line("k", "1", Some(2.0)), line("f", "1", None), line("o", "1", None));
        let here = lines(line("k", "1", Some(2.0)), line("f", "2", None), line("o", "1", None));
        assert_eq!(compared(&here, &lock).deviations, [Deviation::Content(FILE.into())]);
        let here = lines(line("k", "2", Some(2.0)), line("f", "1", None), line("o", "2", None));
        let deviations = compared(&here, &lock).deviations;
        assert_eq!(deviations, [Deviation::Content(OTHER.into()), Deviation::Close(CELL.into())]);
    }

    #[test]
    fn results_of_other_keys_are_not_compared() {
        let lock = lines(line("k", "1", Some(2.0)), line("f", "1", None), line("o", "1", None));
        let here = lines(line("l", "2", Some(3.0)), line("g", "2", None), line("p", "1", None));
        let found = compared(&here, &lock);
        assert_eq!((found.compared, found.deviations.len()), (1, 2));
    }

    #[test]
    fn a_lock_that_cannot_be_read_in_full_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path());
        let (key, hash) = ("ab".repeat(32), "cd".repeat(32));
        let all = lines(line(&key, &hash, Some(2.5e-300)), line(&key, &hash, None), line(&key, &hash, Some(-1.0)));
        write(&all, &store).expect("written");
        assert_eq!(load(&store).expect("a lock"), Some(all.clone()));
        let text = fs::read_to_string(path(&store)).expect("text");
        let old = text.split_once('\n').expect("two lines").1.to_owned();
        fs::write(path(&store), &old).expect("written");
        assert_eq!(load(&store).expect("a lock of an earlier version"), Some(all));
        let mut wrong: Vec<(Vec<u8>, &str)> = vec![
            (Vec::new(), "it is empty"),
            (text.as_bytes()[..text.len() - 20].to_vec(), "its last line is cut off"),
            (text[..text.trim_end().rfind('\n').expect("lines") + 1].into(), "it has 2 of its 3 lines"),
            (vec![0xff; 100], "it is not text"),
            ("garbage\n".into(), "line 1: expected a name"),
            (text.replace(" -1\n", " one\n").into(), "line 3: expected"),
            (text.replacen("cdcd", "cdxx", 1).into(), "line 2: expected"),
            (format!("{old}{old}").into(), "line 4: `results/runs/a.parquet` is out of order"),
        ];
        wrong.push((format!("<<<<<<< ours\n{old}").into(), "line 1: expected"));
        for (bytes, what) in wrong {
            fs::write(path(&store), &bytes).expect("written");
            let error = load(&store).expect_err(what).to_string();
            assert!(error.contains(what) && error.contains("--write-lock"), "`{what}` is not in: {error}");
        }
    }
}
