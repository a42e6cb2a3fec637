//! `verify`: hashes everything that is stored, and compares it with the lock.

use std::path::Path;

use crate::exec::lock::{Comparison, Deviation, Lines, LockError, compare, current, load};
use crate::exec::records;
use crate::exec::records::{Found, record, record_names};
use crate::exec::store::{Store, StoreError};
use crate::plan::planner::plan;
use crate::plan::select::Selection;
use crate::plan::work::Graph;

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verified {
    /// How many files were hashed.
    pub files: usize,
    /// Files that are not as they were stored or published, each with what is wrong; sorted.
    pub damaged: Vec<String>,
    /// How the results compare with the lock, or why it cannot be read; `None` if there is no lock.
    pub lock: Option<Result<Comparison, String>>,
    /// The lines that a lock of the present results would have.
    pub lines: Lines,
}

impl Verified {
    /// Whether nothing is damaged and no comparison with the lock failed.
    pub fn is_sound(&self) -> bool {
        let agrees = |lock: &Result<Comparison, String>| {
            lock.as_ref().is_ok_and(|lock| !lock.deviations.iter().any(Deviation::is_failure))
        };
        self.damaged.is_empty() && self.lock.as_ref().is_none_or(agrees)
    }
}

/// Changes the time of a damaged file, so that the next run looks into it, finds the damage and makes the file again.
/// Damage that left the time alone (a failing disk) would otherwise be found only when the file is read. Returns what is
/// to be said where this fails, and nothing otherwise.
fn unseal(path: &Path) -> String {
    match std::fs::File::open(path).and_then(|file| file.set_modified(std::time::UNIX_EPOCH)) {
        Ok(()) => String::new(),
        Err(error) => format!(" and cannot be marked as damaged ({error}); remove the file, so that it is made again"),
    }
}

/// Hashes every object and every published file, and compares the results of the selected stages with the lock.
pub fn verify(graph: &Graph, selection: &Selection, store: &Store) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    let (sound, damaged) = store.objects(false, true)?;
    verified.files += sound.len() + damaged.len();
    for object in damaged.values() {
        let path = store.object_path(&object.file);
        verified.damaged.push(format!("{}: damaged{}", path.display(), unseal(&path)));
    }
    for name in record_names(store)? {
        let Some(record) = record(store, &name) else {
            verified.damaged.push(format!(
                "the record of {name} cannot be read, or names a file outside the project; the next run makes it again"
            ));
            continue;
        };
        for output in &record.outputs {
            verified.files += 1;
            let what = match output.check(store, true)? {
                Found::Same | Found::Touched(_) => continue,
                Found::Missing => "gone".to_owned(),
                Found::Damaged => format!("damaged{}", unseal(&store.root().join(&output.path))),
            };
            verified.damaged.push(format!("{}: {what}", output.path));
        }
    }
    for stage in &graph.stages {
        for checked in (0..stage.items.len()).filter_map(|item| stage.work.verify(item)) {
            verified.files += 1;
            verified.damaged.extend(checked.err());
        }
    }
    verified.damaged.sort_unstable();
    // Results that were made without the data that cannot be reached are complete, whenever that was tried last.
    let snapshot = records::snapshot(store, false, None)?;
    let plan = plan(graph, selection, false, &snapshot);
    let (lines, makers) = current(graph, &plan, &snapshot, store)?;
    let compared = |lock: Lines| {
        let mut comparison = compare(graph, &lines, &makers, &lock);
        if selection.named {
            // The lock has lines of stages that nobody asked for.
            comparison.deviations.retain(|one| !matches!(one, Deviation::Absent(_)));
        }
        comparison
    };
    verified.lock = match load(store) {
        Ok(lock) => lock.map(|lock| Ok(compared(lock))),
        Err(LockError::Store(error)) => return Err(error),
        Err(malformed) => Some(Err(malformed.to_string())),
    };
    verified.lines = lines;
    Ok(verified)
}
