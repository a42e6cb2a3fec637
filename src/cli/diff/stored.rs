//! Reads the findings of errata and the solutions of comparators from the store.
//!
//! A manifest lists the keys of a stage's items, and the name of an object begins with its key. Nothing else is needed,
//! so folders of other versions can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::json::{Leaves, leaves};
use super::tally::{DiffTally, ResultKind};
use crate::cli::error::CliError;
use noregret_engine::exec::store::{ObjectError, ResultStore, names};
use noregret_engine::plan::key::unhex;

/// Kinds of stages that read errata and comparators. Their manifests name the stages that must exist.
const READERS: [&str; 2] = ["summarise", "table"];

/// The fields that identify a comparator's solution within its stage.
const PROBLEM: [&str; 3] = ["stream", "horizon", "replicate"];

#[derive(Deserialize)]
struct StoredManifest {
    #[serde(default)]
    stage: Option<String>,
    items: Vec<StoredItem>,
}

#[derive(Deserialize)]
struct StoredItem {
    key: String,
    #[serde(default)]
    inputs: Vec<Value>,
}

/// The objects of all stages `stages/...` in a results folder, by name. The tally records those that cannot be read.
pub(super) fn objects(
    results: &Path,
    side: usize,
    kind: ResultKind,
    stages: &str,
    tally: &mut DiffTally<'_>,
) -> Result<BTreeMap<String, Leaves>, CliError> {
    let mut objects = BTreeMap::new();
    let (manifests, store) = (manifests(results, stages)?, ResultStore::of_results(results));
    for (stage, manifest) in &manifests {
        for item in &manifest.items {
            let text = match object(&store, &item.key)? {
                Ok(text) => text,
                Err(problem) => {
                    tally.wrong(kind, side, format_args!("{stage}: {problem}"));
                    continue;
                }
            };
            let leaves = match leaves(&text) {
                Ok(leaves) => leaves,
                Err(error) => {
                    tally.wrong(kind, side, format_args!("{stage}: object {} is not JSON: {error}", item.key));
                    continue;
                }
            };
            let problem = PROBLEM.iter().filter_map(|name| Some(format!(" | {name} {}", leaves.get(*name)?)));
            let name = problem.fold(stage.clone(), |name, part| name + &part);
            // An incomplete stage may keep items of earlier runs. They follow those of the last run, which count.
            objects.entry(name).or_insert(leaves);
        }
    }
    let mut read = BTreeSet::new();
    for reader in READERS {
        for manifest in self::manifests(results, reader)?.into_values() {
            let inputs = manifest.items.into_iter().flat_map(|item| item.inputs);
            read.extend(inputs.filter_map(|input| Some(input.get(0)?.as_str()?.to_owned())));
        }
    }
    for stage in read.iter().filter(|stage| stage.split('/').next() == Some(stages)) {
        if manifests.get(stage).is_none_or(|manifest| manifest.items.is_empty()) {
            tally.wrong(kind, side, format_args!("{stage}: not in the store, although other stages read it"));
        }
    }
    Ok(objects)
}

/// The manifests of the stages `stages/...`, by the name of the stage.
fn manifests(results: &Path, stages: &str) -> Result<BTreeMap<String, StoredManifest>, CliError> {
    let folder = results.join("store/manifests").join(stages);
    let mut found = BTreeMap::new();
    for name in names(&folder).map_err(CliError::failed)? {
        let Some(stage) = name.strip_suffix(".json") else { continue };
        let path = folder.join(&name);
        let text = fs::read(&path).map_err(|error| CliError::io("cannot read", &path, error))?;
        let refused = |why: String| CliError::failed(format!("{}: cannot be read: {why}", path.display()));
        let manifest: StoredManifest = serde_json::from_slice(&text).map_err(|error| refused(error.to_string()))?;
        let stage = format!("{stages}/{stage}");
        if let Some(other) = manifest.stage.as_ref().filter(|of| **of != stage) {
            return Err(refused(format!("it is that of {other}")));
        }
        found.insert(stage, manifest);
    }
    Ok(found)
}

/// The text of the object of a key, or the reason why it cannot be read.
fn object(store: &ResultStore, key: &str) -> Result<Result<String, String>, CliError> {
    let found = unhex(key).map(|key| store.find(&key)).transpose().map_err(CliError::failed)?;
    let Some(name) = found.flatten() else { return Ok(Err(format!("object {key} is missing"))) };
    match store.read(&name) {
        Ok(bytes) => Ok(String::from_utf8(bytes).map_err(|_| format!("object {key} is not text"))),
        Err(ObjectError::Damaged { .. }) => Ok(Err(format!("object {key} is damaged"))),
        Err(ObjectError::Store(error)) => Err(CliError::failed(error)),
    }
}
