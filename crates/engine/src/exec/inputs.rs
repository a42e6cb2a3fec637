//! How items ended during a run, and what that means for the items that read them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use crate::exec::records::{FoundState, record};
use crate::exec::store::{ResultStore, StoreError};
use crate::plan::key::{KeyHash, failed_marker, hex, unavailable_marker};
use crate::plan::planner::{ItemStanding, Plan};
use crate::plan::snapshot::{Snapshot, record_name};
use crate::plan::sources::{ContentDigest, Current, Sources, short, together};
use crate::plan::work::{Digest, Failure, Graph, ItemOutcome, Need, Resolved, Storage, Unavailable};

/// What is said of a cell that a run does without, where nothing else is known of it. The report knows these words.
pub(crate) const NOT_MADE: &str = "not made yet";

/// What is said of an item of which an input failed. The report knows how it begins.
pub(crate) fn input_failed(name: &str, error: &str) -> String {
    format!("its input {name} failed: {error}")
}

/// How every item has ended so far.
pub(crate) struct Outcomes<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    store: &'a ResultStore,
    snapshot: &'a Snapshot,
    /// The items that this run has dealt with; the plan knows the others.
    changed: RwLock<HashMap<(usize, usize), SettledItem>>,
}

/// How an item ended.
#[derive(Clone, Debug)]
pub(crate) struct SettledItem {
    /// How it ended.
    pub outcome: ItemOutcome,
    /// The key of its product, or the marker that stands for it.
    pub key: Digest,
    /// The content of its product, or what stands for it.
    pub content: ContentDigest,
}

/// A product that has been stored or published.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeptProduct {
    /// The object, or the published files.
    pub files: Vec<PathBuf>,
    /// Their content.
    pub content: ContentDigest,
}

/// What an item is made from.
pub(crate) struct ItemInputs {
    /// The inputs; a whole stage is listed item by item.
    pub(crate) all: Vec<Resolved>,
    /// The digests of their bytes.
    pub(crate) sources: Sources,
}

impl From<Blocked> for Failure {
    fn from(blocked: Blocked) -> Self {
        match blocked {
            Blocked::Failed(why) => Self::failed(why),
            Blocked::Unavailable(unavailable) => Self::Unavailable(unavailable),
        }
    }
}

/// Why an item cannot be made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Blocked {
    /// An input failed.
    Failed(String),
    /// An input is unavailable here.
    Unavailable(Unavailable),
}

impl<'a> Outcomes<'a> {
    /// Nothing has run yet.
    pub(crate) fn new(graph: &'a Graph, plan: &'a Plan, store: &'a ResultStore, snapshot: &'a Snapshot) -> Self {
        Self { graph, plan, store, snapshot, changed: RwLock::default() }
    }

    /// How an item ended; `None` if it has not ended yet.
    pub(crate) fn get(&self, stage: usize, item: usize) -> Option<ItemOutcome> {
        self.settled(stage, item).map(|settled| settled.outcome)
    }

    /// The same, with its key and content.
    pub(crate) fn settled(&self, stage: usize, item: usize) -> Option<SettledItem> {
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        changed.get(&(stage, item)).cloned().or_else(|| self.planned(stage, item))
    }

    /// Notes that an item's product was stored or published.
    pub(crate) fn done(&self, stage: usize, item: usize, key: &Digest, kept: &KeptProduct) {
        let outcome = ItemOutcome::Done { key: hex(key), files: kept.files.clone() };
        self.set(stage, item, SettledItem { outcome, key: *key, content: kept.content });
    }

    /// Notes that an item failed.
    pub(crate) fn failed(&self, stage: usize, item: usize, error: String) {
        self.set(stage, item, failed(error));
    }

    /// Notes that an item is unavailable here.
    pub(crate) fn unavailable(&self, stage: usize, item: usize, unavailable: Unavailable) {
        self.set(stage, item, missing(unavailable));
    }

    fn set(&self, stage: usize, item: usize, settled: SettledItem) {
        self.changed.write().unwrap_or_else(PoisonError::into_inner).insert((stage, item), settled);
    }

    fn planned(&self, stage: usize, item: usize) -> Option<SettledItem> {
        let key = self.plan.keys[stage][item];
        match &self.plan.standings[stage][item] {
            ItemStanding::Fresh => {
                let files = match self.graph.stages[stage].storage {
                    Storage::Object { .. } => {
                        let object = self.snapshot.objects.get(&key);
                        object.map(|object| self.store.object_path(&object.file)).into_iter().collect()
                    }
                    Storage::Files => {
                        let record = self.snapshot.records.get(&record_name(&self.graph.stages[stage], &key));
                        let files = record.map(|record| record.files.as_slice()).unwrap_or_default();
                        files.iter().map(|path| self.store.place(path)).collect()
                    }
                };
                let content = self.plan.contents[stage][item]?;
                Some(SettledItem { outcome: ItemOutcome::Done { key: hex(key), files }, key, content })
            }
            ItemStanding::Unavailable(unavailable) => Some(missing((**unavailable).clone())),
            ItemStanding::ToMake(_) => None,
        }
    }

    /// The inputs of an item, or why it cannot be made.
    pub(crate) fn resolve(&self, stage: usize, item: usize) -> Result<ItemInputs, Blocked> {
        let mut all = Vec::new();
        let mut current = Current::default();
        for input in self.graph.stages[stage].items[item].inputs.iter() {
            let name = &self.graph.stages[input.stage].name;
            let mut contents = Vec::new();
            for item in self.graph.items(input) {
                let settled = self.settled(input.stage, item);
                let SettledItem { outcome, content, .. } = settled.unwrap_or_else(|| failed("was not made".into()));
                contents.push(Some(content));
                match (&outcome, input.need) {
                    (ItemOutcome::Failed(error), Need::Required) => {
                        return Err(Blocked::Failed(input_failed(name, error)));
                    }
                    (ItemOutcome::Unavailable(unavailable), Need::Required) => {
                        return Err(Blocked::Unavailable(unavailable.clone()));
                    }
                    _ => all.push(Resolved { stage: name.clone(), item, outcome }),
                }
            }
            let content = match (input.item, &*contents) {
                (Some(_), [one]) => *one,
                _ => together(contents),
            };
            current.add(input.stage, content);
        }
        let mut sources = current.sources().unwrap_or_default();
        if self.graph.stages[stage].storage != Storage::Files {
            sources = sources.for_names();
        }
        Ok(ItemInputs { all, sources })
    }

    /// What is said of an item of which a required input is known to have failed.
    pub(crate) fn failed_input(&self, stage: usize, item: usize) -> Option<String> {
        let needed = self.inputs_of(stage, item).filter(|(_, _, need)| *need == Need::Required);
        needed.into_iter().find_map(|(stage, item, _)| match self.get(stage, item)? {
            ItemOutcome::Failed(error) if error != NOT_MADE => {
                Some(input_failed(&self.graph.stages[stage].name, &error))
            }
            _ => None,
        })
    }

    /// The stage and item of the input with this index, in the order of [`Outcomes::resolve`].
    pub(crate) fn stage_of(&self, stage: usize, item: usize, mut index: usize) -> Option<(usize, usize)> {
        for input in self.graph.stages[stage].items[item].inputs.iter() {
            let items = self.graph.items(input);
            if index < items.len() {
                return Some((input.stage, items.start + index));
            }
            index -= items.len();
        }
        None
    }

    /// The items that an item reads.
    pub(crate) fn inputs_of(&self, stage: usize, item: usize) -> impl Iterator<Item = (usize, usize, Need)> {
        let inputs = self.graph.stages[stage].items[item].inputs.iter();
        inputs.flat_map(|input| self.graph.items(input).map(|item| (input.stage, item, input.need)))
    }

    /// The key of an item, now that its inputs are settled. It is that of the plan unless an input failed, turned out to
    /// be unavailable, or turned out to hold what was not known before.
    pub(crate) fn key(&self, stage: usize, item: usize) -> Digest {
        let target = &self.graph.stages[stage];
        let deviates = {
            let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
            !changed.is_empty()
                && self.inputs_of(stage, item).any(|(stage, item, _)| {
                    changed.get(&(stage, item)).is_some_and(|settled| settled.key != self.plan.keys[stage][item])
                })
        };
        if deviates { self.key_of(stage, item, &target.items[item].fingerprint) } else { self.plan.keys[stage][item] }
    }

    /// The key of an item that turned out to have this fingerprint.
    pub(crate) fn key_of(&self, stage: usize, item: usize, fingerprint: &Digest) -> Digest {
        let target = &self.graph.stages[stage];
        let mut hash = KeyHash::new(&target.name, fingerprint);
        for input in target.items[item].inputs.iter() {
            let key = self.graph.input_key(input, |stage, item| self.input_key(stage, item));
            hash.input(&self.graph.stages[input.stage].name, &key);
        }
        hash.finish()
    }

    /// The actual key of an input, or the marker that stands for it.
    pub(crate) fn input_key(&self, stage: usize, item: usize) -> Digest {
        self.settled(stage, item).map_or(self.plan.keys[stage][item], |settled| settled.key)
    }

    /// Checks that the published files among the inputs are still as they were published; returns the first that is
    /// not.
    pub(crate) fn changed_file(&self, stage: usize, item: usize) -> Result<Option<Changed>, StoreError> {
        for (index, (stage, item, _)) in self.inputs_of(stage, item).enumerate() {
            let target = &self.graph.stages[stage];
            if target.storage != Storage::Files {
                continue;
            }
            let Some(SettledItem { outcome: ItemOutcome::Done { files, .. }, key, content }) =
                self.settled(stage, item)
            else {
                continue;
            };
            let Some(record) = record(self.store, &record_name(target, &key)) else { continue };
            if record.content() != content {
                return Ok(files.into_iter().next().map(|file| Changed { file, by_a_run: Some(index) }));
            }
            for output in &record.outputs {
                if matches!(output.check(self.store, false)?, FoundState::Missing | FoundState::Damaged) {
                    return Ok(Some(Changed { file: self.store.place(&output.path), by_a_run: None }));
                }
            }
        }
        Ok(None)
    }
}

/// A published file that is not as it was when the run read about it.
pub(crate) struct Changed {
    /// Where it is.
    pub file: PathBuf,
    /// The number of the input, where another run has published other bytes.
    pub(crate) by_a_run: Option<usize>,
}

fn failed(error: String) -> SettledItem {
    let key = failed_marker(&error);
    SettledItem { outcome: ItemOutcome::Failed(error), key, content: short(&key) }
}

fn missing(unavailable: Unavailable) -> SettledItem {
    let key = unavailable_marker();
    SettledItem { outcome: ItemOutcome::Unavailable(unavailable), key, content: short(&key) }
}
