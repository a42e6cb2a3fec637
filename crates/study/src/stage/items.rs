//! What stages share: keys of their items, and the files and keys of what they read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use noregret_engine::code::CodeIdentity;
use noregret_engine::plan::work::{Digest, Facts, Failure, Item, ItemInput, ItemOutcome, Job, Need, Work};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use noregret_report::trace::cell::TableProvenance;

/// Where data may come from in this run.
#[derive(Clone, Debug)]
pub struct Access {
    /// Folders that hold files under their upstream names, tried before the network.
    pub mirrors: Vec<PathBuf>,
    /// Whether the network may be used.
    pub online: bool,
}

/// The fingerprint of an item: a digest of its canonical parameters and the code that computes it.
pub(crate) fn fingerprint(parameters: &str, code: &CodeIdentity) -> Digest {
    let mut hash = Sha256::new();
    hash.update((parameters.len() as u64).to_le_bytes());
    hash.update(parameters);
    hash.update(&code.digest);
    hash.finalize().into()
}

/// Item number `index` of a stage's work, which reads `inputs`.
pub(crate) fn item(work: &impl Work, index: usize, inputs: Arc<[ItemInput]>) -> Item {
    let facts = work.facts(index);
    Item { fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code), inputs }
}

/// A stage with a single item.
pub(crate) fn single(work: impl Work + 'static, inputs: impl IntoIterator<Item = ItemInput>) -> (Item, Arc<dyn Work>) {
    (item(&work, 0, inputs.into_iter().collect()), Arc::new(work))
}

/// All items of each stage as inputs.
pub(crate) fn whole(stages: &[usize], need: Need) -> impl Iterator<Item = ItemInput> {
    stages.iter().map(move |&stage| ItemInput { stage, item: None, need })
}

/// What the table of a stage with a single item says about its origin; `inputs` are the keys of what it was made from.
pub(crate) fn provenance(work: &impl Work, job: &dyn Job, inputs: BTreeMap<String, String>) -> TableProvenance {
    let Facts { parameters, code } = work.facts(0);
    TableProvenance {
        key: job.key().to_owned(),
        config: parameters.to_string(),
        inputs,
        code: json!(*code),
        tuned: None,
    }
}

/// The keys of the inputs that were made, by stage (and item, where a stage has many).
pub(crate) fn input_keys(job: &dyn Job) -> BTreeMap<String, String> {
    let done = job.inputs().iter().filter_map(|input| match &input.outcome {
        ItemOutcome::Done { key, .. } => Some((format!("{}#{}", input.stage, input.item), key.clone())),
        _ => None,
    });
    done.collect()
}

/// The keys of the inputs that were made, stage by stage: one digest over the keys of all its items.
pub(crate) fn stage_keys(job: &dyn Job) -> BTreeMap<String, String> {
    let mut hashes: BTreeMap<&str, Sha256> = BTreeMap::new();
    for input in job.inputs() {
        if let ItemOutcome::Done { key, .. } = &input.outcome {
            hashes.entry(&input.stage).or_default().update(key);
        }
    }
    hashes.into_iter().map(|(stage, hash)| (stage.to_owned(), hex::encode(hash.finalize()))).collect()
}

/// The published files among the inputs that `wanted` picks, with paths relative to the project root.
pub(crate) fn published(job: &dyn Job, wanted: impl Fn(&Path) -> bool) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let mut files = BTreeMap::new();
    for (index, input) in job.inputs().iter().enumerate() {
        let ItemOutcome::Done { files: paths, .. } = &input.outcome else { continue };
        for path in paths {
            let relative = relative(path);
            if wanted(&relative) {
                files.insert(relative, job.published(index, path)?);
            }
        }
    }
    Ok(files)
}

/// The part of a published path from `results` or `reports` on.
pub(crate) fn relative(path: &Path) -> PathBuf {
    let parts: Vec<_> = path.components().collect();
    let root = parts.iter().rposition(|part| part.as_os_str() == "results" || part.as_os_str() == "reports");
    parts[root.unwrap_or(0)..].iter().collect()
}
