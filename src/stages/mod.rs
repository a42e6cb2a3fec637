//! Stages: one file per kind, each implementing the engine's `Work`. They join configuration and mathematics to the
//! DAG and hold no mathematics of their own.
//!
//! [`graph`] builds the whole DAG of a profile: fetch -> prepare -> run, comparator -> summarise -> figure, table ->
//! report; summarise -> rates -> figure, table; and errata -> table.

pub mod comparator;
pub mod errata;
pub mod fetch;
pub mod figure;
pub mod prepare;
pub mod rates;
pub mod report;
mod results;
pub mod run;
pub mod summarise;
pub mod table;
mod tables;
mod times;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::code::Identity;
use crate::config::project::{Declared, Project};
use crate::config::stream::{Origin, StreamSpec};
use crate::errata::api::Erratum;
use crate::errata::registry::ERRATA;
use crate::plan::work::{Digest, Failure, Graph, Input, Item, Job, Need, Outcome, Stage, Storage, Work};
use crate::report::table::api::Fill;

/// Where data may come from in this run.
#[derive(Clone, Debug)]
pub struct Access {
    /// Folders that hold files under their upstream names, tried before the network.
    pub mirrors: Vec<PathBuf>,
    /// Whether the network may be used.
    pub online: bool,
}

/// The fingerprint of an item: a digest of its canonical parameters and the code that computes it.
fn fingerprint(parameters: &str, code: &Identity) -> Digest {
    let mut hash = Sha256::new();
    hash.update((parameters.len() as u64).to_le_bytes());
    hash.update(parameters);
    hash.update(&code.digest);
    hash.finalize().into()
}

/// The keys of the inputs that were made, by stage (and item, where a stage has many).
fn input_keys(job: &dyn Job) -> BTreeMap<String, String> {
    let done = job.inputs().iter().filter_map(|input| match &input.outcome {
        Outcome::Done { key, .. } => Some((format!("{}#{}", input.stage, input.item), key.clone())),
        _ => None,
    });
    done.collect()
}

/// The keys of the inputs that were made, stage by stage: one digest over the keys of all its items.
fn stage_keys(job: &dyn Job) -> BTreeMap<String, String> {
    let mut hashes: BTreeMap<&str, Sha256> = BTreeMap::new();
    for input in job.inputs() {
        if let Outcome::Done { key, .. } = &input.outcome {
            hashes.entry(&input.stage).or_default().update(key);
        }
    }
    let hex = |hash: Sha256| hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hashes.into_iter().map(|(stage, hash)| (stage.to_owned(), hex(hash))).collect()
}

/// The published files among the inputs that `wanted` picks, with paths relative to the project root.
fn published(job: &dyn Job, wanted: impl Fn(&Path) -> bool) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let mut files = BTreeMap::new();
    for input in job.inputs() {
        let Outcome::Done { files: paths, .. } = &input.outcome else { continue };
        for path in paths {
            let relative = relative(path);
            if wanted(&relative) {
                let bytes = std::fs::read(path)
                    .map_err(|error| Failure::Failed(format!("cannot read {}: {error}", path.display())))?;
                files.insert(relative, bytes);
            }
        }
    }
    Ok(files)
}

/// The part of a published path from `results` or `reports` on.
fn relative(path: &Path) -> PathBuf {
    let parts: Vec<_> = path.components().collect();
    let root = parts.iter().rposition(|part| part.as_os_str() == "results" || part.as_os_str() == "reports");
    parts[root.unwrap_or(0)..].iter().collect()
}

/// Collects stages and hands out their indices.
#[derive(Default)]
struct Builder {
    graph: Graph,
    fetch: BTreeMap<String, usize>,
    prepare: BTreeMap<String, (usize, Vec<String>)>,
}

impl Builder {
    fn add(&mut self, name: String, items: Vec<Item>, work: Arc<dyn Work>, storage: Storage) -> usize {
        self.graph.stages.push(Stage { name, items, work, storage });
        self.graph.stages.len() - 1
    }

    fn erratum(&mut self, erratum: &'static Erratum) -> usize {
        let (item, work) = errata::stage(erratum);
        self.add(format!("errata/{}", erratum.id), vec![item], work, Storage::Object { extension: "json" })
    }

    /// The prepared variant that a stream reads.
    fn prepared(&self, stream: &StreamSpec) -> Option<Input> {
        let Origin::Dataset { name, preparation, .. } = &stream.origin else { return None };
        let (stage, variants) = self.prepare.get(name)?;
        let item = variants.iter().position(|variant| *variant == prepare::canonical(preparation))?;
        Some(Input { stage: *stage, item: Some(item), need: Need::Required })
    }
}

/// The DAG of everything declared.
pub fn graph(project: &Project, declared: &Declared, access: &Access) -> Graph {
    let mut builder = Builder::default();
    for (name, dataset) in &declared.datasets {
        if let Some((item, work)) = fetch::stage(project, dataset, access) {
            let stage = builder.add(format!("fetch/{name}"), vec![item], work, Storage::Files);
            builder.fetch.insert(name.clone(), stage);
        }
    }
    for (name, dataset) in &declared.datasets {
        let mut variants = BTreeMap::new();
        for stream in declared.experiments.values().flat_map(|experiment| &experiment.streams) {
            if let Origin::Dataset { name: used, preparation, .. } = &stream.origin
                && used == name
            {
                variants.insert(prepare::canonical(preparation), *preparation);
            }
        }
        if variants.is_empty() {
            continue;
        }
        let (keys, variants): (Vec<_>, Vec<_>) = variants.into_iter().unzip();
        let (items, work) = prepare::stage(project, dataset, variants, builder.fetch.get(name).copied());
        let storage = Storage::Object { extension: "parquet" };
        let stage = builder.add(format!("prepare/{name}"), items, work, storage);
        builder.prepare.insert(name.clone(), (stage, keys));
    }
    let tables = Arc::new(tables::Tables::default());
    let mut summaries = BTreeMap::new();
    for (name, experiment) in &declared.experiments {
        let prepared: Vec<Option<Input>> = experiment.streams.iter().map(|stream| builder.prepared(stream)).collect();
        let (items, work) = run::stage(experiment, &prepared, &tables);
        let cells = builder.add(format!("run/{name}"), items, work, Storage::Object { extension: "parquet" });
        let comparators = comparator::stage(experiment, &prepared, &tables).map(|(items, work)| {
            builder.add(format!("comparator/{name}"), items, work, Storage::Object { extension: "json" })
        });
        let (item, work) = summarise::stage(experiment, cells, comparators, &prepared);
        let summary = builder.add(format!("summarise/{name}"), vec![item], work, Storage::Files);
        summaries.insert(name.clone(), summary);
    }
    let all: Vec<usize> = summaries.values().copied().collect();
    let (item, work) = summarise::all(&all);
    builder.add("summarise/all".into(), vec![item], work, Storage::Files);
    let (item, work) = times::stage(project, &all);
    builder.add("timings".into(), vec![item], work, Storage::Files);

    let mut rates = BTreeMap::new();
    for (name, row) in &declared.rates {
        let (item, work) = rates::stage(project, row, summaries.get(&row.experiment).copied());
        rates.insert(name.as_str(), builder.add(format!("rates/{name}"), vec![item], work, Storage::Files));
    }

    let mut shown = Vec::new();
    for (name, shown_as) in &declared.figures {
        let mut inputs: Vec<usize> = shown_as.spec.experiments.iter().map(|name| summaries[name]).collect();
        inputs.extend(rates::chosen(&rates, &shown_as.spec.rates));
        let functions = declared.functions.get(name).cloned();
        let (item, work) = figure::stage(project, &declared.profile, shown_as, functions, &inputs);
        shown.push(builder.add(format!("figure/{name}"), vec![item], work, Storage::Files));
    }
    // Errata are decided in a project that shows them.
    let errata: Vec<usize> = match declared.tables.values().any(|table| matches!(table.kind.fill, Fill::Errata(_))) {
        true => ERRATA.iter().map(|erratum| builder.erratum(erratum)).collect(),
        false => Vec::new(),
    };
    for (name, shown_as) in &declared.tables {
        let inputs: Vec<usize> = match shown_as.kind.fill {
            // A table goes without what its project does not have, and says so.
            Fill::Runs(_) => shown_as.spec.experiments.iter().filter_map(|name| summaries.get(name)).copied().collect(),
            Fill::Errata(_) => errata.clone(),
            Fill::Rates(_) => rates.values().copied().collect(),
        };
        let (item, work) = table::stage(project, &declared.profile, shown_as, &inputs);
        shown.push(builder.add(format!("table/{name}"), vec![item], work, Storage::Files));
    }
    shown.extend(&all);
    let (item, work) = report::stage(project, &declared.profile, &shown);
    builder.add("report".into(), vec![item], work, Storage::Files);
    builder.graph
}
