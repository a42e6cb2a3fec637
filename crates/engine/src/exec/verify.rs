//! `verify`: hashes everything that is stored, and compares it with the lock.

use std::path::Path;

use crate::exec::lock::{Deviation, Lines, compare, current, load};
use crate::exec::records::{Found, record, record_names};
use crate::exec::store::{Store, StoreError};
use crate::exec::{clock, records};
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
    /// Differences from the lock; `None` if there is no lock.
    pub deviations: Option<Vec<Deviation>>,
    /// The lines that a lock of the present results would have.
    pub lines: Lines,
}

impl Verified {
    /// Whether nothing is damaged and no comparison with the lock failed.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && !self.deviations.iter().flatten().any(Deviation::is_failure)
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
    verified.damaged.sort_unstable();
    let snapshot = records::snapshot(store, false, clock::now())?;
    let plan = plan(graph, selection, false, &snapshot);
    verified.lines = current(graph, &plan, &snapshot, store)?;
    verified.deviations = load(store)?.map(|lock| compare(&verified.lines, &lock));
    if selection.named {
        // The lock has lines of stages that nobody asked for.
        verified.deviations.iter_mut().for_each(|all| all.retain(|one| !matches!(one, Deviation::Absent(_))));
    }
    Ok(verified)
}
