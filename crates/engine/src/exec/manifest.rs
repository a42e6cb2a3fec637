//! Manifests: the parameters, code and inputs behind the items of each stage, as of the last run that made any of them.
//! `explain` compares them with what is asked for now. They are written and merged item by item, because a stage may
//! have a million of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::code::CodeIdentity;
use crate::exec::inputs::Outcomes;
use crate::exec::lease::Lease;
use crate::exec::scratch::Scratch;
use crate::exec::store::{ResultStore, StoreError};
use crate::plan::key::{content, hex};
use crate::plan::planner::Plan;
use crate::plan::work::{Digest, Graph, ItemOutcome};

/// The manifest of a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The stage; none in manifests of earlier versions.
    #[serde(default)]
    pub stage: Option<String>,
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

fn path(store: &ResultStore, stage: &str) -> PathBuf {
    store.note("manifests", stage)
}

/// The manifest of a stage; empty if there is none, or one of another stage.
pub fn load(store: &ResultStore, stage: &str) -> Manifest {
    // A variant that was not made yet is compared with the project itself.
    let text = fs::read(path(store, stage)).or_else(|_| fs::read(path(&store.clone().of_variant(None), stage)));
    let found: Option<Manifest> = text.ok().and_then(|text| serde_json::from_slice(&text).ok());
    found.filter(|found| found.stage.as_ref().is_none_or(|name| name == stage)).unwrap_or_default()
}

/// Reads the manifest of a stage, or the list of its items, and hands over one item after the other; returns the code
/// behind them.
struct Each<'a>(&'a mut dyn FnMut(ManifestItem), &'a str);

impl<'de> DeserializeSeed<'de> for Each<'_> {
    type Value = BTreeMap<String, BTreeMap<String, String>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = BTreeMap<String, BTreeMap<String, String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a manifest")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut code = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            match &*name {
                "code" => code = map.next_value()?,
                "items" => drop(map.next_value_seed(Each(&mut *self.0, self.1))?),
                "stage" => match map.next_value::<String>()? == self.1 {
                    true => {}
                    false => return Err(A::Error::custom("another stage")),
                },
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(code)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while let Some(item) = items.next_element()? {
            (self.0)(item);
        }
        Ok(BTreeMap::new())
    }
}

/// The description of an item for a manifest, and its code. `input_key` gives the key, or marker, of an
/// input.
pub(crate) fn describe(
    graph: &Graph,
    (stage, item): (usize, usize),
    key: String,
    input_key: &dyn Fn(usize, usize) -> Digest,
) -> (ManifestItem, Arc<CodeIdentity>) {
    let target = &graph.stages[stage];
    let facts = target.work.facts(item);
    let inputs = target.items[item]
        .inputs
        .iter()
        .map(|input| (graph.stages[input.stage].name.clone(), hex(graph.input_key(input, input_key))));
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
    store: &ResultStore,
    scratch: &Scratch,
    outcomes: &Outcomes<'_>,
) -> Result<(), StoreError> {
    // Several runs may end at once, each with some items of a stage.
    let _lease = Lease::wait(store, &content(b"manifests"))?;
    let touched: BTreeSet<usize> = plan.steps.iter().map(|step| step.stage).collect();
    for stage in touched {
        let name = &graph.stages[stage].name;
        let items = 0..graph.stages[stage].items.len();
        let made = |item| matches!(outcomes.get(stage, item), Some(ItemOutcome::Done { .. }));
        if items.clone().any(made) {
            let path = path(store, name);
            scratch.publish_with(&|file| write(graph, stage, outcomes, File::open(&path).ok(), file), &path)?;
        }
    }
    Ok(())
}

/// Writes the manifest of a stage, with what was in the `old` one if not all items are made.
fn write(graph: &Graph, stage: usize, outcomes: &Outcomes<'_>, old: Option<File>, file: &File) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut known = HashSet::new();
    let mut code = BTreeMap::new();
    let name = &*graph.stages[stage].name;
    let head = format!("{{\"stage\":{},\"items\":[\n", serde_json::Value::from(name));
    let mut between = &*head;
    let mut push = |item: &ManifestItem, own: bool| -> io::Result<()> {
        if known.insert(content(item.key.as_bytes())) || own {
            file.write_all(between.as_bytes())?;
            serde_json::to_writer(&mut file, item)?;
            between = ",\n";
        }
        Ok(())
    };
    let mut complete = true;
    for item in 0..graph.stages[stage].items.len() {
        let Some(ItemOutcome::Done { key, .. }) = outcomes.get(stage, item) else {
            complete = false;
            continue;
        };
        let (item, behind) = describe(graph, (stage, item), key, &|stage, item| outcomes.input_key(stage, item));
        code.entry(item.code.clone()).or_insert_with(|| behind.files.clone());
        push(&item, true)?;
    }
    if let Some(old) = old.filter(|_| !complete) {
        let (mut written, mut codes) = (Ok(()), BTreeSet::new());
        let mut each = |item: ManifestItem| {
            if written.is_ok() {
                written = push(&item, false);
            }
            codes.insert(item.code);
        };
        // What cannot be read is lost, which does no harm but to explanations.
        let old = Each(&mut each, name).deserialize(&mut serde_json::Deserializer::from_reader(BufReader::new(old)));
        written?;
        let old = old.unwrap_or_default().into_iter().filter(|(digest, _)| codes.contains(digest));
        old.for_each(|(digest, files)| _ = code.entry(digest).or_insert(files));
    }
    file.write_all(b"\n],\"code\":")?;
    serde_json::to_writer(&mut file, &code)?;
    file.write_all(b"}\n")?;
    file.flush()
}
