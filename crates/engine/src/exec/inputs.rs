//! What became of items during a run, and what that means for those that read them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use crate::exec::books::{Found, record};
use crate::exec::store::{Store, StoreError};
use crate::plan::key::{KeyHash, failed_marker, hex, unavailable_marker, unhex, whole};
use crate::plan::planner::{Plan, Standing};
use crate::plan::snapshot::{Snapshot, record_name};
use crate::plan::work::{Digest, Graph, Input, Need, Outcome, Resolved, Storage, Unavailable};

/// What became of every item so far.
pub struct Outcomes<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    store: &'a Store,
    snapshot: &'a Snapshot,
    /// Of items that were dealt with in this run; of the others the plan tells.
    changed: RwLock<HashMap<(usize, usize), Outcome>>,
}

/// Why an item cannot be made.
#[derive(Clone, Debug, PartialEq)]
pub enum Blocked {
    /// An input failed.
    Failed(String),
    /// An input cannot be had here.
    Unavailable(Unavailable),
}

impl<'a> Outcomes<'a> {
    /// Nothing has run yet.
    pub fn new(graph: &'a Graph, plan: &'a Plan, store: &'a Store, snapshot: &'a Snapshot) -> Self {
        Self { graph, plan, store, snapshot, changed: RwLock::default() }
    }

    /// What became of an item; `None` if nothing yet.
    pub fn get(&self, stage: usize, item: usize) -> Option<Outcome> {
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        changed.get(&(stage, item)).cloned().or_else(|| self.planned(stage, item))
    }

    /// Notes what became of an item.
    pub fn set(&self, stage: usize, item: usize, outcome: Outcome) {
        self.changed.write().unwrap_or_else(PoisonError::into_inner).insert((stage, item), outcome);
    }

    fn planned(&self, stage: usize, item: usize) -> Option<Outcome> {
        let key = self.plan.keys[stage][item];
        match &self.plan.standings[stage][item] {
            Standing::Fresh => {
                let files = match self.graph.stages[stage].storage {
                    Storage::Object { .. } => {
                        self.snapshot.objects.get(&key).map(|name| self.store.object_path(name)).into_iter().collect()
                    }
                    Storage::Files => {
                        let record = self.snapshot.records.get(&record_name(&self.graph.stages[stage], &key));
                        let files = record.map(|record| record.files.as_slice()).unwrap_or_default();
                        files.iter().map(|path| self.store.root().join(path)).collect()
                    }
                };
                Some(Outcome::Done { key: hex(&key), files })
            }
            Standing::Unavailable(unavailable) => Some(Outcome::Unavailable(unavailable.clone())),
            Standing::ToMake(_) => None,
        }
    }

    /// The items that an input stands for.
    fn items(&self, input: &Input) -> std::ops::Range<usize> {
        match input.item {
            Some(item) => item..item + 1,
            None => 0..self.graph.stages[input.stage].items.len(),
        }
    }

    /// The inputs of an item, whole stages item by item; or why it cannot be made.
    pub fn resolve(&self, stage: usize, item: usize) -> Result<Vec<Resolved>, Blocked> {
        let mut resolved = Vec::new();
        for input in self.graph.stages[stage].items[item].inputs.iter() {
            let name = &self.graph.stages[input.stage].name;
            for item in self.items(input) {
                let outcome = self.get(input.stage, item).unwrap_or_else(|| Outcome::Failed("was not made".into()));
                match (&outcome, input.need) {
                    (Outcome::Failed(error), Need::Required) => {
                        return Err(Blocked::Failed(format!("its input {name} failed: {error}")));
                    }
                    (Outcome::Unavailable(unavailable), Need::Required) => {
                        return Err(Blocked::Unavailable(unavailable.clone()));
                    }
                    _ => resolved.push(Resolved { stage: name.clone(), item, outcome }),
                }
            }
        }
        Ok(resolved)
    }

    /// The stage of each resolved input, in the order of [`Outcomes::resolve`].
    pub fn stage_of(&self, stage: usize, item: usize, mut index: usize) -> Option<(usize, usize)> {
        for input in self.graph.stages[stage].items[item].inputs.iter() {
            let items = self.items(input);
            if index < items.len() {
                return Some((input.stage, items.start + index));
            }
            index -= items.len();
        }
        None
    }

    /// The items that an item reads.
    pub fn inputs_of(&self, stage: usize, item: usize) -> impl Iterator<Item = (usize, usize, Need)> {
        let inputs = self.graph.stages[stage].items[item].inputs.iter();
        inputs.flat_map(|input| self.items(input).map(|item| (input.stage, item, input.need)))
    }

    /// The key of an item, now that its inputs are settled: that of the plan, unless one of them failed or turned
    /// out to be unavailable.
    pub fn key(&self, stage: usize, item: usize) -> Digest {
        let target = &self.graph.stages[stage];
        let deviates = {
            let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
            !changed.is_empty()
                && self.inputs_of(stage, item).any(|(stage, item, _)| match changed.get(&(stage, item)) {
                    Some(Outcome::Done { key, .. }) => *key != hex(&self.plan.keys[stage][item]),
                    Some(_) => true,
                    None => false,
                })
        };
        if !deviates {
            return self.plan.keys[stage][item];
        }
        let mut hash = KeyHash::new(&target.name, &target.items[item].fingerprint);
        for input in target.items[item].inputs.iter() {
            let keys: Vec<Digest> = self.items(input).map(|item| self.input_key(input.stage, item)).collect();
            let key = match (input.item, keys.first()) {
                (Some(_), Some(key)) => *key,
                _ => whole(keys.iter()),
            };
            hash.input(&self.graph.stages[input.stage].name, &key);
        }
        hash.finish()
    }

    /// The key of an item as it turned out, or the marker that stands for it.
    pub fn input_key(&self, stage: usize, item: usize) -> Digest {
        let planned = self.plan.keys[stage][item];
        match self.get(stage, item) {
            Some(Outcome::Done { key, .. }) => unhex(&key).unwrap_or(planned),
            Some(Outcome::Failed(error)) => failed_marker(&error),
            Some(Outcome::Unavailable(_)) => unavailable_marker(),
            None => planned,
        }
    }

    /// Checks that the published files among the inputs are still what was published; names the first that is not.
    pub fn changed_file(&self, stage: usize, item: usize) -> Result<Option<PathBuf>, StoreError> {
        for (stage, item, _) in self.inputs_of(stage, item) {
            let target = &self.graph.stages[stage];
            if target.storage != Storage::Files {
                continue;
            }
            let Some(Outcome::Done { key, .. }) = self.get(stage, item) else { continue };
            let Some(key) = unhex(&key) else { continue };
            let Some(record) = record(self.store, &record_name(target, &key)) else { continue };
            for output in &record.outputs {
                if matches!(output.check(self.store, false)?, Found::Missing | Found::Damaged) {
                    return Ok(Some(self.store.root().join(&output.path)));
                }
            }
        }
        Ok(None)
    }
}
