//! `gc`: removes what no plan refers to any longer.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use crate::exec::clock;
use crate::exec::journal::{Measurement, each_line, measurement_files};
use crate::exec::records::stems;
use crate::exec::repack::Repack;
use crate::exec::scratch::{Scratch, remove_dead};
use crate::exec::store::{ObjectName, ResultStore, StoreError, VARIANTS, names};
use crate::exec::tenancy::{Alone, AloneError};
use crate::exec::{batch, manifest, records};
use crate::plan::key::unhex;
use crate::plan::planner::plan;
use crate::plan::select::Selection;
use crate::plan::snapshot::Snapshot;
use crate::plan::work::{Digest, Graph};

/// What was removed, or would be removed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    /// Files that nothing refers to, sorted. Objects in packs are named as if packs were folders.
    pub files: Vec<PathBuf>,
    /// Their total size in bytes.
    pub bytes: u64,
    /// How many items that cannot be made here now, because something is away, keep what was stored of them.
    pub away: usize,
    /// What should be told of the logs that were joined.
    pub warnings: Vec<String>,
}

/// The age in seconds at which a batch is removed.
const BATCH_SECONDS: f64 = 30.0 * 86_400.0;

/// Removes the objects, published files, notes and claims that no item of `graphs` (one per profile) and no variant refers
/// to, and the folders of dead processes; packs small objects, and joins the measurement logs into one. With `dry` it lists the files and changes
/// nothing.
pub fn gc(graphs: &[Graph], store: &ResultStore, dry: bool) -> Result<Collected, AloneError> {
    let alone = if dry { None } else { Some(Alone::take(store)?) };
    let snapshot = records::snapshot(store, false, Some(clock::now()))?;
    let (mut used, mut due): (HashSet<Digest>, HashSet<Digest>) = Default::default();
    let mut away = HashSet::new();
    for graph in graphs {
        let plan = plan(graph, &Selection::everything(graph), false, &snapshot);
        used.extend(plan.keys.iter().flatten());
        due.extend(plan.steps.iter().map(|step| plan.keys[step.stage][step.item]));
        away.extend(plan.unavailable().map(|(stage, item, _)| {
            let stage = &graph.stages[stage];
            (stage.name.to_string(), stage.work.label(item))
        }));
    }
    used.extend(former(store, &away)?);
    used.extend(of_variants(store)?);
    let mut collected = Collected { away: away.len(), ..Collected::default() };
    let files = [unused(store, &snapshot, &used)?, notes(store, &used, &due)?, undeclared(graphs, store)?, old(store)?];
    collected.files = files.concat();
    // No run is in progress, so no lease is held.
    collected.files.extend(names(&store.folder("claims"))?.into_iter().map(|name| store.folder("claims").join(name)));
    for file in &collected.files {
        collected.bytes += fs::metadata(file).map_or(0, |meta| meta.len());
    }
    if let Some(alone) = &alone {
        collected.files.iter().try_for_each(|file| store.remove(file))?;
        remove_dead(&store.folder("tmp"), None)?;
        collected.warnings = join_measurements(store, alone)?;
    }
    let repack = Repack::plan(store, |key| used.contains(key), true)?;
    for (file, bytes) in &repack.lost {
        collected.files.push(file.clone());
        collected.bytes += bytes;
    }
    if let Some(alone) = alone {
        repack.carry_out(store, &Scratch::with(store, alone.share())?)?;
    }
    collected.files.sort_unstable();
    Ok(collected)
}

/// The keys under which the items that are `away` (stage and label) were ever made. They have others now, which stand for
/// what is missing, and are the old ones again once it is back.
fn former(store: &ResultStore, away: &HashSet<(String, String)>) -> Result<HashSet<Digest>, StoreError> {
    let mut keys = HashSet::new();
    let mut add = |item: (String, String), key: &str| keys.extend(unhex(key).filter(|_| away.contains(&item)));
    let stages: HashSet<&str> = away.iter().map(|(stage, _)| &**stage).collect();
    // What came from a shared store is in no log.
    for stage in &stages {
        manifest::load(store, stage).items.into_iter().for_each(|item| add((stage.to_string(), item.label), &item.key));
    }
    for path in if stages.is_empty() { Vec::new() } else { measurement_files(store)? } {
        each_line(&path, |line| {
            let line = serde_json::from_slice::<Measurement>(line).ok();
            line.map(|line| add((line.stage, line.item), &line.key)).is_some()
        })?;
    }
    Ok(keys)
}

/// The keys behind what variants have published: they refer to them until their folders are removed.
fn of_variants(store: &ResultStore) -> Result<HashSet<Digest>, StoreError> {
    let mut keys = HashSet::new();
    for variant in names(&store.root().join(VARIANTS))? {
        let variant = store.clone().of_variant(Some(variant));
        for stage in stems(&variant.base().join("results/store/manifests"))? {
            keys.extend(manifest::load(&variant, &stage).items.iter().filter_map(|item| unhex(&item.key)));
        }
    }
    Ok(keys)
}

/// The objects that no key in `used` has.
fn unused(store: &ResultStore, snapshot: &Snapshot, used: &HashSet<Digest>) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    let objects = store.folder("objects");
    for shard in names(&objects)? {
        for name in names(&objects.join(&shard))? {
            let Some(parsed) = ObjectName::parse(&name) else { continue };
            // Of several objects under one key only the first counts.
            let counts = snapshot.objects.get(&parsed.key).is_none_or(|first| first.file == name);
            if !used.contains(&parsed.key) || !counts {
                files.push(objects.join(&shard).join(name));
            }
        }
    }
    Ok(files)
}

/// The notes, and beginnings of items, that say nothing of a key in `used` or of one that is `due`.
fn notes(store: &ResultStore, used: &HashSet<Digest>, due: &HashSet<Digest>) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    // That something failed to be made again says nothing of what is there.
    for (what, needed) in [("failures", due), ("unavailable", used)] {
        for name in names(&store.folder(what))? {
            if name.strip_suffix(".json").and_then(unhex).is_none_or(|key| !needed.contains(&key)) {
                files.push(store.folder(what).join(name));
            }
        }
    }
    // What is not to be made needs no beginning.
    for name in names(&store.folder("partial"))? {
        if unhex(&name).is_none_or(|key| !due.contains(&key)) {
            files.push(store.folder("partial").join(name));
        }
    }
    Ok(files)
}

/// What was published by stages that are no longer declared.
fn undeclared(graphs: &[Graph], store: &ResultStore) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    let declared: HashSet<&str> = graphs.iter().flat_map(|graph| &graph.stages).map(|stage| &*stage.name).collect();
    for name in records::record_names(store)? {
        if name.split('@').next().is_some_and(|stage| declared.contains(stage)) {
            continue;
        }
        let outputs = records::record(store, &name).map(|record| record.outputs).unwrap_or_default();
        // Raw data are left for the user to remove.
        let outputs = outputs.into_iter().filter(|output| !output.path.starts_with("data/"));
        files.extend(outputs.map(|output| store.place(output.path)).filter(|file| file.is_file()));
        files.push(store.note("records", &name));
    }
    Ok(files)
}

/// Old batches: their tasks may still be waiting in a scheduler's queue, but not for ever.
fn old(store: &ResultStore) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    for name in names(&batch::folder(store))? {
        let path = batch::folder(store).join(name);
        let time = fs::metadata(&path).and_then(|meta| meta.modified()).ok();
        let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        if time.is_some_and(|time| clock::now() - time.as_secs_f64() > BATCH_SECONDS) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Joins all measurement logs into `measurements.jsonl`, keeping the last measurement for each key. Lines that cannot
/// be read are left out and warned of.
fn join_measurements(store: &ResultStore, alone: &Alone) -> Result<Vec<String>, StoreError> {
    let files = measurement_files(store)?;
    let mut warnings = Vec::new();
    if files.len() < 2 {
        return Ok(warnings);
    }
    let mut lines: std::collections::BTreeMap<(String, String), Vec<u8>> = std::collections::BTreeMap::new();
    for path in &files {
        warnings.extend(each_line(path, |line| {
            // Bytes that are not UTF-8 are no JSON either.
            let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else { return false };
            let field = |name: &str| value.get(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
            lines.insert((field("stage"), field("key")), line.to_vec());
            true
        })?);
    }
    let joined = store.log().join("measurements.jsonl");
    let bytes: Vec<u8> = lines.into_values().flat_map(|line| line.into_iter().chain([b'\n'])).collect();
    Scratch::with(store, alone.share())?.publish(&bytes, &joined)?;
    files.iter().filter(|path| **path != joined).try_for_each(|path| store.remove(path))?;
    Ok(warnings)
}
