//! `explain`: how an item that would be made differs from what was made before, field by field.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use serde_json::Value;

use crate::code::CodeIdentity;
use crate::exec::manifest::{Manifest, ManifestItem, describe, load};
use crate::exec::store::ResultStore;
use crate::plan::key::{hex, unavailable_marker};
use crate::plan::planner::{ItemStanding, Plan};
use crate::plan::reason::Reason;
use crate::plan::work::{Digest, Graph};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Difference {
    /// `parameter`, `input`, `code`, or `bytes` (of an input whose key is the same).
    pub kind: &'static str,
    /// The name of what differs.
    pub name: String,
    /// The old value; `None` if there was none.
    pub(crate) old: Option<String>,
    /// The new value; `None` if it is no longer there.
    pub(crate) new: Option<String>,
}

/// The state of an item, and the reason for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Explanation {
    /// The stage's name.
    pub stage: String,
    /// The item's label.
    pub item: String,
    /// `fresh`, `to make`, or `unavailable`.
    pub state: &'static str,
    /// Why.
    pub reason: String,
    /// The label of the item that it is compared with, if that has another label.
    pub(crate) compared_with: Option<String>,
    /// The differences.
    pub(crate) differences: Vec<Difference>,
}

/// Explains the items that the plan's targets name. The fresh items of a stage are explained in one line.
pub fn explain(graph: &Graph, plan: &Plan, store: &ResultStore) -> Vec<Explanation> {
    let mut all = Vec::new();
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| plan.selection.stages[*index]) {
        let mut manifest = None;
        let mut fresh = 0;
        for (item, standing) in plan.standings[index].iter().enumerate() {
            let mut line = Explanation { stage: stage.name.clone(), state: "to make", ..Explanation::default() };
            match standing {
                ItemStanding::Fresh => {
                    fresh += 1;
                    continue;
                }
                ItemStanding::Unavailable(unavailable) => {
                    line.state = "unavailable";
                    line.reason = format!("{}; {}", unavailable.reason, unavailable.remedy);
                }
                ItemStanding::ToMake(reason) => {
                    line.reason = plan.reason(graph, (index, item), reason);
                    if let Reason::InputBytesChanged(changes) = reason {
                        line.differences.extend(changes.iter().map(|change| Difference {
                            kind: "bytes",
                            name: change.stage.clone(),
                            old: Some(change.old.clone()),
                            new: Some(change.new.clone()),
                        }));
                    } else if !matches!(reason, Reason::Damaged(_) | Reason::Gone(_) | Reason::InputMayChange(_)) {
                        let manifest = manifest.get_or_insert_with(|| PreviousItems::new(load(store, &stage.name)));
                        let key = hex(plan.keys[index][item]);
                        let input_key = |stage, item| expected_key(plan, stage, item);
                        compare(&mut line, manifest, describe(graph, (index, item), key, &input_key));
                    }
                }
            }
            line.item = stage.work.label(item);
            all.push(line);
        }
        if fresh > 0 {
            let total = stage.items.len();
            all.push(Explanation {
                stage: stage.name.clone(),
                state: "fresh",
                reason: format!(
                    "{fresh} of {total} fresh: parameters, inputs and code are those of the stored results"
                ),
                ..Explanation::default()
            });
        }
    }
    all
}

/// The key that an input will have, or the marker that stands for it if it is unavailable.
fn expected_key(plan: &Plan, stage: usize, item: usize) -> Digest {
    match &plan.standings[stage][item] {
        ItemStanding::Unavailable(_) => unavailable_marker(),
        _ => plan.keys[stage][item],
    }
}

/// What a stage made before. A stage may have 10,000 items, and each may be compared with each: the parameters are
/// flattened and hashed once.
struct PreviousItems {
    manifest: Manifest,
    hashes: Vec<FieldHashes>,
    by_hashes: HashMap<FieldHashes, Vec<usize>>,
}

type Fields = BTreeMap<String, String>;

/// The hashes of a name and of its value, sorted.
type FieldHashes = Vec<(u64, u64)>;

impl PreviousItems {
    fn new(manifest: Manifest) -> Self {
        let hashes: Vec<_> = manifest.items.iter().map(|item| hashes(&flattened(&item.parameters))).collect();
        let mut by_hashes: HashMap<FieldHashes, Vec<usize>> = HashMap::new();
        for (index, hashes) in hashes.iter().enumerate() {
            by_hashes.entry(hashes.clone()).or_default().push(index);
        }
        Self { manifest, hashes, by_hashes }
    }

    /// The item with the same parameters, or else the one that differs in the fewest; of several, one with the same code.
    fn nearest(&self, now: &Fields, code: &str) -> Option<&ManifestItem> {
        let now = hashes(now);
        let other_code = |index: &usize| self.manifest.items[*index].code != code;
        let index = match self.by_hashes.get(&now) {
            Some(same) => same.iter().copied().min_by_key(other_code),
            None => {
                (0..self.hashes.len()).min_by_key(|index| (distance(&self.hashes[*index], &now), other_code(index)))
            }
        };
        index.map(|index| &self.manifest.items[index])
    }
}

fn hashes(fields: &Fields) -> FieldHashes {
    let state = BuildHasherDefault::<DefaultHasher>::default();
    let mut hashes: Vec<_> = fields.iter().map(|(name, value)| (state.hash_one(name), state.hash_one(value))).collect();
    hashes.sort_unstable();
    hashes
}

/// The number of names whose values differ.
fn distance(old: &[(u64, u64)], new: &[(u64, u64)]) -> usize {
    let (mut i, mut j, mut differing) = (0, 0, 0);
    while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
        differing += usize::from(a != b);
        i += usize::from(a.0 <= b.0);
        j += usize::from(b.0 <= a.0);
    }
    differing + (old.len() - i) + (new.len() - j)
}

fn compare(line: &mut Explanation, before: &PreviousItems, (now, code): (ManifestItem, Arc<CodeIdentity>)) {
    let fields = flattened(&now.parameters);
    let Some(item) = before.nearest(&fields, &now.code) else {
        line.reason.push_str("; nothing comparable was made before");
        return;
    };
    line.compared_with = (item.label != now.label).then(|| item.label.clone());
    line.differences = changes("parameter", &flattened(&item.parameters), &fields);
    line.differences.extend(changes("input", &numbered(&item.inputs), &numbered(&now.inputs)));
    if item.code != now.code {
        let empty = BTreeMap::new();
        let old = before.manifest.code.get(&item.code).unwrap_or(&empty);
        line.differences.extend(changes("code", old, &code.files));
    }
}

/// Inputs by name. Several inputs from one stage are numbered.
fn numbered(inputs: &[(String, String)]) -> BTreeMap<String, String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let mut named = BTreeMap::new();
    for (stage, key) in inputs {
        let n = count.entry(stage).or_insert(0);
        *n += 1;
        let name = if *n == 1 { stage.clone() } else { format!("{stage} #{n}") };
        named.insert(name, key.clone());
    }
    named
}

fn changes(kind: &'static str, old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<Difference> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    differing
        .map(|name| Difference { kind, name: name.clone(), old: old.get(name).cloned(), new: new.get(name).cloned() })
        .collect()
}

fn flattened(value: &Value) -> Fields {
    let mut fields = Fields::new();
    flatten("", value, &mut fields);
    fields
}

/// Collects all values under dotted names.
fn flatten(prefix: &str, value: &Value, fields: &mut Fields) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, value) in map {
                let dotted = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(&dotted, value, fields);
            }
        }
        other => drop(fields.insert(prefix.to_owned(), other.to_string())),
    }
}

/// The explanations as text for people, with shortened hashes.
pub fn text(explanations: &[Explanation]) -> String {
    let mut out = String::new();
    for line in explanations {
        out.push_str(&line.stage);
        if !line.item.is_empty() {
            out.push_str(&format!(" {}", line.item));
        }
        out.push_str(&format!(": {}: {}\n", line.state, line.reason));
        if let Some(other) = &line.compared_with {
            out.push_str(&format!("  compared with {other}\n"));
        }
        for difference in &line.differences {
            let show = |value: &Option<String>| match value {
                None => "(none)".to_owned(),
                Some(hash) if difference.kind != "parameter" => shorten(hash),
                Some(value) => value.clone(),
            };
            let Difference { kind, name, old, new } = difference;
            out.push_str(&format!("  {kind} {name}: {} -> {}\n", show(old), show(new)));
        }
    }
    out
}

/// Shortens every long word to twelve characters.
fn shorten(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.get(..12) {
        Some(start) if word.len() >= 32 => start,
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_number_of_names_whose_values_differ() {
        let of = |text: &str| hashes(&flattened(&serde_json::from_str(text).unwrap()));
        let old = of(r#"{"a": 1, "b": {"c": 2, "d": 3}, "e": 4}"#);
        assert_eq!(distance(&old, &of(r#"{"a": 1, "b": {"c": 2, "d": 3}, "e": 4}"#)), 0);
        assert_eq!(distance(&old, &of(r#"{"a": 1, "b": {"c": 2, "d": 5}, "e": 4}"#)), 1);
        assert_eq!(distance(&old, &of(r#"{"b": {"c": 2, "f": 3}, "e": 5, "g": 1}"#)), 5);
        assert_eq!(distance(&old, &of("{\"z\": 1}")), 5);
    }
}
