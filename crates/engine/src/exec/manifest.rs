//! Manifests: the parameters, code and inputs behind the items of each stage, as of the last run that made any of them.
//! `explain` compares them with what is asked for now.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::code::Identity;
use crate::exec::claim::Claim;
use crate::exec::inputs::Outcomes;
use crate::exec::records::save;
use crate::exec::scratch::Scratch;
use crate::exec::store::{Store, StoreError};
use crate::plan::key::{content, hex, whole};
use crate::plan::planner::Plan;
use crate::plan::work::{Digest, Graph, ItemOutcome};

/// The manifest of a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Code identities, by digest: source files and packages with their hashes.
    pub code: BTreeMap<String, BTreeMap<String, String>>,
    /// The items.
    pub items: Vec<ManifestItem>,
}

/// One item of a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestItem {
    /// Its label.
    pub label: String,
    /// Its key, in hexadecimal.
    pub key: String,
    /// Its canonical parameters.
    pub parameters: serde_json::Value,
    /// The digest of its code identity.
    pub code: String,
    /// Its inputs in order: stage and key.
    pub inputs: Vec<(String, String)>,
}

fn path(store: &Store, stage: &str) -> PathBuf {
    store.folder("manifests").join(format!("{stage}.json"))
}

/// The manifest of a stage; empty if there is none.
pub fn load(store: &Store, stage: &str) -> Manifest {
    fs::read(path(store, stage)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// The description of an item for a manifest, and its code. `input_key` gives the key, or marker, of an
/// input.
pub fn describe(
    graph: &Graph,
    (stage, item): (usize, usize),
    key: String,
    input_key: &dyn Fn(usize, usize) -> Digest,
) -> (ManifestItem, Arc<Identity>) {
    let target = &graph.stages[stage];
    let facts = target.work.facts(item);
    let inputs = target.items[item].inputs.iter().map(|input| {
        let source = &graph.stages[input.stage];
        let key = match input.item {
            Some(item) => input_key(input.stage, item),
            None => {
                let keys: Vec<Digest> = (0..source.items.len()).map(|item| input_key(input.stage, item)).collect();
                whole(keys.iter())
            }
        };
        (source.name.clone(), hex(key))
    });
    let described = ManifestItem {
        label: target.work.label(item),
        key,
        parameters: facts.parameters,
        code: facts.code.digest.clone(),
        inputs: inputs.collect(),
    };
    (described, facts.code)
}

/// After a run, writes the manifest of every stage that had steps in the plan. If a stage is not complete, the items of
/// its old manifest are kept after the new ones, so that the rest can still be explained.
pub(super) fn update(
    graph: &Graph,
    plan: &Plan,
    store: &Store,
    scratch: &Scratch,
    outcomes: &Outcomes<'_>,
) -> Result<(), StoreError> {
    // Several runs may end at once, each with some items of a stage.
    let _claim = Claim::wait(store, &content(b"manifests"))?;
    let touched: BTreeSet<usize> = plan.steps.iter().map(|step| step.stage).collect();
    for stage in touched {
        let mut manifest = Manifest::default();
        let mut complete = true;
        for item in 0..graph.stages[stage].items.len() {
            let Some(ItemOutcome::Done { key, .. }) = outcomes.get(stage, item) else {
                complete = false;
                continue;
            };
            let (described, code) = describe(graph, (stage, item), key, &|stage, item| outcomes.input_key(stage, item));
            manifest.code.entry(described.code.clone()).or_insert_with(|| code.files.clone());
            manifest.items.push(described);
        }
        if !complete {
            let known: BTreeSet<String> = manifest.items.iter().map(|item| item.key.clone()).collect();
            let old = load(store, &graph.stages[stage].name);
            for item in old.items.into_iter().filter(|item| !known.contains(&item.key)) {
                if let Some(code) = old.code.get(&item.code) {
                    manifest.code.entry(item.code.clone()).or_insert_with(|| code.clone());
                }
                manifest.items.push(item);
            }
        }
        if !manifest.items.is_empty() {
            save(scratch, &path(store, &graph.stages[stage].name), &manifest)?;
        }
    }
    Ok(())
}
