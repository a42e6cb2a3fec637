//! `clean`: removes results, so that they are made again.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::exec::partial;
use crate::exec::records::{note_path, record, record_names};
use crate::exec::repack::Repack;
use crate::exec::scratch::Scratch;
use crate::exec::store::ResultStore;
use crate::exec::tenancy::{Alone, AloneError};
use crate::plan::key::hex;
use crate::plan::planner::Plan;
use crate::plan::work::{Graph, Storage};

/// Removes everything that the plan's selected stages made: published files with their records, objects, notes and
/// manifests. Returns the removed files, sorted. With `dry` it lists them and removes nothing; otherwise no run may be in
/// progress, which would miss what it has found.
pub fn clean(graph: &Graph, plan: &Plan, store: &ResultStore, dry: bool) -> Result<Vec<PathBuf>, AloneError> {
    let alone = if dry { None } else { Some(Alone::take(store)?) };
    let (mut files, mut removed) = (Vec::new(), HashSet::new());
    let records = record_names(store)?;
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| plan.selection.stages[*index]) {
        for key in &plan.keys[index] {
            if let Storage::Object { .. } = stage.storage {
                files.extend(store.find_all(key)?.iter().map(|name| store.object_path(name)));
                removed.insert(*key);
            }
            files.extend(["failures", "unavailable"].map(|what| note_path(store, what, key)));
            files.push(partial::path(store, &hex(key)));
        }
        let several = format!("{}@", stage.name);
        for name in records.iter().filter(|name| **name == stage.name || name.starts_with(&several)) {
            let outputs = record(store, name).map(|record| record.outputs).unwrap_or_default();
            files.extend(outputs.iter().map(|output| store.place(&output.path)));
            files.push(store.note("records", name));
        }
        files.push(store.note("manifests", &stage.name));
    }
    files.retain(|file| file.exists());
    files.sort_unstable();
    files.dedup();
    if alone.is_some() {
        files.iter().try_for_each(|file| store.remove(file))?;
    }
    let repack = Repack::plan(store, |key| !removed.contains(key), false)?;
    files.extend(repack.lost.iter().map(|(file, _)| file.clone()));
    if let Some(alone) = alone.filter(|_| !repack.lost.is_empty()) {
        repack.carry_out(store, &Scratch::with(store, alone.share())?)?;
    }
    Ok(files)
}
