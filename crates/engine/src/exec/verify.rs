//! `verify`: hashes what is stored, all of it or that of some stages, and compares it with the lock.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::exec::lockfile::{Deviation, LockComparison, LockError, LockLines, compare, current, load};
use crate::exec::records;
use crate::exec::records::{FoundState, record, record_names};
use crate::exec::store::{ObjectError, ResultStore, StoreError};
use crate::plan::planner::{ItemStanding, plan};
use crate::plan::reason::Reason;
use crate::plan::select::Selection;
use crate::plan::work::{Digest, Graph};

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verified {
    /// How many files were hashed.
    pub files: usize,
    /// Files that are not as they were stored or published, each with what is wrong; sorted.
    pub damaged: Vec<String>,
    /// The stages that were asked for by name and are not wholly made: how many items are missing, of how many.
    pub unmade: Vec<(String, usize, usize)>,
    /// How the results compare with the lock, or why it cannot be read; `None` if there is no lock.
    pub lock: Option<Result<LockComparison, String>>,
    /// The lines that a lock of the present results would have.
    pub lines: LockLines,
}

impl Verified {
    /// Whether nothing is damaged, what was asked for by name is there, and no comparison with the lock failed.
    pub fn is_sound(&self) -> bool {
        let agrees = |lock: &Result<LockComparison, String>| {
            lock.as_ref().is_ok_and(|lock| !lock.deviations.iter().any(Deviation::is_failure))
        };
        self.damaged.is_empty() && self.unmade.is_empty() && self.lock.as_ref().is_none_or(agrees)
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

/// Hashes the objects of these keys: how many there are, and the damaged ones.
fn objects(store: &ResultStore, keys: &BTreeSet<Digest>) -> Result<(usize, Vec<String>), StoreError> {
    let names: Vec<Vec<String>> = keys.par_iter().map(|key| store.find_all(key)).collect::<Result<_, _>>()?;
    let names = names.concat();
    let check = |name: &String| match store.read(name) {
        Ok(_) => Ok(None),
        Err(ObjectError::Damaged { .. }) => Ok(Some(name.clone())),
        Err(ObjectError::Store(error)) => Err(error),
    };
    let damaged: Vec<Option<String>> = names.par_iter().map(check).collect::<Result<_, _>>()?;
    let mut damaged: Vec<String> = damaged.into_iter().flatten().collect();
    // Nothing is found under the key of what is known to be damaged.
    for (parsed, name) in store.packs().all(false, false)?.1 {
        if keys.contains(&parsed.key) && store.find(&parsed.key)?.is_none() {
            damaged.push(name);
        }
    }
    Ok((names.len(), damaged))
}

/// Hashes the published files of the selected stages, or of all.
fn published(
    graph: &Graph,
    selection: &Selection,
    store: &ResultStore,
    verified: &mut Verified,
) -> Result<(), StoreError> {
    let asked = |record: &str| {
        let stage = record.split_once('@').map_or(record, |(stage, _)| stage);
        !selection.named || graph.stages.iter().zip(&selection.stages).any(|(one, asked)| *asked && one.name == stage)
    };
    for name in record_names(store)?.into_iter().filter(|name| asked(name)) {
        let Some(record) = record(store, &name) else {
            verified.damaged.push(format!(
                "the record of {name} cannot be read, or names a file outside the project; the next run makes it again"
            ));
            continue;
        };
        for output in &record.outputs {
            verified.files += 1;
            let what = match output.check(store, true)? {
                FoundState::Same | FoundState::Touched(_) => continue,
                FoundState::Missing => "gone".to_owned(),
                FoundState::Damaged => format!("damaged{}", unseal(&store.place(&output.path))),
            };
            verified.damaged.push(format!("{}: {what}", output.path));
        }
    }
    Ok(())
}

/// Hashes the objects and the published files of the selected stages, or everything in the store where nothing was
/// selected by name, and compares the results of these stages with the lock.
pub fn verify(graph: &Graph, selection: &Selection, store: &ResultStore) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    let (count, damaged) = if selection.named {
        let plan = plan(graph, selection, false, &records::snapshot(store, false, None)?);
        objects(store, &plan.asked().map(|(stage, item)| plan.keys[stage][item]).collect())?
    } else {
        let (sound, damaged) = store.objects(false, true)?;
        (sound.len() + damaged.len(), damaged.into_values().map(|object| object.file).collect())
    };
    verified.files += count;
    for name in damaged {
        let path = store.lies_in(&name)?;
        let which = if path.ends_with(&name) { String::new() } else { format!("{name} in it is ") };
        verified.damaged.push(format!("{}: {which}damaged{}", path.display(), unseal(&path)));
    }
    for path in store.packs().unreadable()? {
        let remedy =
            "cannot be read; what it had is made again by the next run; remove it, or have `noregret gc` remove it";
        verified.damaged.push(format!("{}: {remedy}", path.display()));
    }
    published(graph, selection, store, &mut verified)?;
    for (stage, asked) in graph.stages.iter().zip(&selection.stages) {
        for checked in (0..stage.items.len()).filter(|_| *asked).filter_map(|item| stage.work.verify(item)) {
            verified.files += 1;
            verified.damaged.extend(checked.err());
        }
    }
    verified.damaged.sort_unstable();
    // Results that were made without the data that cannot be reached are complete, whenever that was tried last.
    let snapshot = records::snapshot(store, false, None)?;
    let plan = plan(graph, selection, false, &snapshot);
    if selection.named {
        let unmade = |standing: &&ItemStanding| match standing {
            ItemStanding::ToMake(reason) => !matches!(reason, Reason::Damaged(_) | Reason::Gone(_)),
            ItemStanding::Unavailable(_) => true,
            ItemStanding::Fresh => false,
        };
        for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| selection.stages[*index]) {
            let standings = &plan.standings[index];
            let unmade = standings.iter().filter(unmade).count();
            if unmade > 0 {
                verified.unmade.push((stage.name.clone(), unmade, standings.len()));
            }
        }
    }
    let (lines, makers) = current(graph, &plan, &snapshot, store)?;
    let compared = |lock: LockLines| {
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
