//! `noregret export`: a folder that others can read without this program.

mod metadata;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use self::metadata::{CrateContents, FileRole, METADATA, Packed, WORKFLOW};
use super::error::CliError;
use super::exit::DONE;
use super::select::SelectArgs;
use super::show::{counted, pretty, put};
use noregret_engine::exec::progress::tell;
use noregret_engine::exec::records::record;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::exec::{clock, journal};
use noregret_engine::plan::dag::needed;
use noregret_engine::plan::key::hex;
use noregret_engine::plan::planner::{ItemStanding, Plan};
use noregret_engine::plan::snapshot::record_name;
use noregret_engine::plan::work::{Graph, Stage, Storage};
use noregret_study::config::project::Project;

/// Options of `noregret export`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ExportArgs {
    /// A new folder for the crate: a Workflow Run RO-Crate with configuration, results, report, parameters, hashes and code
    #[arg(long = "crate", value_name = "DIR")]
    pub folder: PathBuf,
    /// The licence of what is exported: an address, an SPDX name, or a sentence
    #[arg(long, value_name = "TEXT", default_value = "No licence has been stated for these files.")]
    pub license: String,
    /// Which results, under which profile
    #[command(flatten)]
    pub select: SelectArgs,
}

/// Writes the crate. Results that are not current are left out, and told of.
///
/// # Errors
/// The folder holds something already; nothing is current; a file is not what was recorded, or cannot be copied.
pub(crate) fn run(
    project: &Project,
    args: &ExportArgs,
    graph: &Graph,
    store: &ResultStore,
    out: &mut dyn Write,
) -> Result<u8, CliError> {
    let folder = &args.folder;
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        return Err(CliError::usage(format!("{} holds something already; name a new folder", folder.display())));
    }
    let plan = args.select.plan(graph, store)?;
    let published = published(graph, &plan, store);
    if published.is_empty() {
        return Err(CliError::failed("there is no current result to export; `noregret run` makes results"));
    }
    let mut files = BTreeSet::new();
    for path in &declared(project)? {
        files.insert(copy(project.root(), folder, path, FileRole::Configuration, None)?);
    }
    for (path, sha256) in published.iter().filter(|(path, _)| !path.starts_with("data/")) {
        files.insert(copy(&store.base(), folder, path, FileRole::Result, Some(sha256))?);
    }
    let profile = args.select.profile_in(project)?;
    let (workflow, code) = workflow(args, &profile, graph, &plan, store);
    put(&folder.join(WORKFLOW), pretty(&workflow)?.as_bytes())?;
    files.insert(copy(folder, folder, WORKFLOW, FileRole::Workflow, None)?);
    let name = project.root().file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned());
    let overrides = args.select.words.iter().filter_map(|word| word.split_once('='));
    let values = std::iter::once(("profile".to_owned(), profile.clone()))
        .chain(overrides.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let ended = journal::runs(store).0.pop().map_or_else(|| clock::utc(clock::now()), |run| run.when);
    let contents = CrateContents {
        name,
        licence: args.license.clone(),
        when: ended.replace(' ', "T") + "+00:00",
        version: env!("CARGO_PKG_VERSION").to_owned(),
        code,
        values: values.collect(),
        files: files.into_iter().collect(),
    };
    // A folder without its metadata is no crate, so they come last.
    put(&folder.join(METADATA), pretty(&metadata::metadata(&contents))?.as_bytes())?;
    let stale = plan.steps.len();
    if stale > 0 {
        let verb = if stale == 1 { "is" } else { "are" };
        tell(&format!("{} {verb} missing or stale and left out; `noregret run` makes them\n", counted(stale, "item")));
    }
    let count = counted(contents.files.len() + 1, "file");
    writeln!(out, "{}: {count}, described in {METADATA}", folder.display())?;
    Ok(DONE)
}

/// The current published files of the selection and of everything that it reads, with their hashes.
fn published(graph: &Graph, plan: &Plan, store: &ResultStore) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let needed = needed(graph, &plan.selection);
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| needed[*index]) {
        files.extend(outputs(stage, index, plan, store));
    }
    files
}

/// The files that a stage has published and that are current, with their hashes.
fn outputs(stage: &Stage, index: usize, plan: &Plan, store: &ResultStore) -> Vec<(String, String)> {
    if stage.storage != Storage::Files {
        return Vec::new();
    }
    let items = plan.keys[index].iter().zip(&plan.standings[index]);
    let fresh = items.filter(|(_, standing)| **standing == ItemStanding::Fresh);
    let records = fresh.filter_map(|(key, _)| record(store, &record_name(stage, key)));
    records.flat_map(|record| record.outputs).map(|output| (output.path, output.sha256)).collect()
}

/// What was run: every stage with its items, their keys, parameters and code; and the digest of all this code.
fn workflow(args: &ExportArgs, profile: &str, graph: &Graph, plan: &Plan, store: &ResultStore) -> (Value, String) {
    let mut code = BTreeMap::new();
    let mut stages = Vec::new();
    let needed = needed(graph, &plan.selection);
    for (index, stage) in graph.stages.iter().enumerate().filter(|(index, _)| needed[*index]) {
        let reads = stage.items.iter().flat_map(|item| item.inputs.iter().map(|input| input.stage));
        let reads: BTreeSet<&str> = reads.map(|input| graph.stages[input].name.as_str()).collect();
        let items: Vec<Value> = (0..stage.items.len())
            .map(|item| {
                let facts = stage.work.facts(item);
                code.entry(facts.code.digest.clone()).or_insert_with(|| facts.code.clone());
                json!({
                    "label": stage.work.label(item),
                    "key": hex(plan.keys[index][item]),
                    "current": plan.standings[index][item] == ItemStanding::Fresh,
                    "parameters": facts.parameters,
                    "code": facts.code.digest,
                })
            })
            .collect();
        let files: BTreeMap<String, String> = outputs(stage, index, plan, store).into_iter().collect();
        stages.push(json!({ "name": stage.name, "reads": reads, "items": items, "files": files }));
    }
    let digests: String = code.keys().map(|digest| format!("{digest}\n")).collect();
    let files: BTreeMap<&String, &BTreeMap<String, String>> =
        code.iter().map(|(digest, identity)| (digest, &identity.files)).collect();
    let value = json!({
        "program": { "name": "noregret", "version": env!("CARGO_PKG_VERSION") },
        "profile": profile,
        "asked": args.select.words,
        "stages": stages,
        "code": files,
    });
    (value, hex(Sha256::digest(digests)))
}

/// The files that say what is run, relative to the project: those of the pipeline, what is said of added data, and the
/// scripts and losses that these name.
fn declared(project: &Project) -> Result<BTreeSet<String>, CliError> {
    let root = project.root();
    let mut found = toml_files(&project.pipeline(), "pipeline")?;
    let added = root.join("data/added");
    if added.is_dir() {
        found.extend(toml_files(&added, "data/added")?);
    }
    let mut all: BTreeSet<String> = found.iter().cloned().collect();
    for path in found {
        let text = fs::read_to_string(root.join(&path))
            .map_err(|error| CliError::io("cannot read", Path::new(&path), error))?;
        let Ok(table) = text.parse::<toml::Table>() else { continue };
        let mut named = Vec::new();
        name_files(&toml::Value::Table(table), &mut named);
        let inside = |file: &String| Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        all.extend(named.into_iter().filter(|file| inside(file) && root.join(file).is_file()));
    }
    Ok(all)
}

/// The files that a declaration names: those of an external learner, and losses that others reported.
fn name_files(value: &toml::Value, found: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, inner) in table {
                match (key.as_str(), inner) {
                    ("reported", toml::Value::String(file)) => found.push(file.clone()),
                    ("files", toml::Value::Array(all)) => {
                        found.extend(all.iter().filter_map(toml::Value::as_str).map(str::to_owned));
                    }
                    _ => name_files(inner, found),
                }
            }
        }
        toml::Value::Array(all) => all.iter().for_each(|inner| name_files(inner, found)),
        _ => {}
    }
}

/// The TOML files in a folder, which is called `name`, and below.
fn toml_files(folder: &Path, name: &str) -> Result<Vec<String>, CliError> {
    let (mut found, mut waiting) = (Vec::new(), vec![(folder.to_owned(), name.to_owned())]);
    while let Some((folder, name)) = waiting.pop() {
        let unreadable = |error| CliError::io("cannot read", &folder, error);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                waiting.push((entry.path(), path));
            } else if path.ends_with(".toml") && !entry.file_name().to_string_lossy().starts_with('.') {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Copies a file into the crate, if it is not there yet, and hashes it. `recorded` is the hash that it must have.
fn copy(root: &Path, folder: &Path, path: &str, role: FileRole, recorded: Option<&String>) -> Result<Packed, CliError> {
    let from = root.join(path);
    let bytes = fs::read(&from).map_err(|error| CliError::io("cannot read", &from, error))?;
    let sha256 = hex(Sha256::digest(&bytes));
    if recorded.is_some_and(|recorded| *recorded != sha256) {
        return Err(CliError::failed(format!("{} is not what was made; run `noregret verify`", from.display())));
    }
    if root != folder {
        put(&folder.join(path), &bytes)?;
    }
    Ok(Packed { path: path.to_owned(), sha256, size: bytes.len() as u64, role })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of datasets are tables, which say where data come from; they are not in the project.
    #[test]
    fn scripts_and_losses_are_named() {
        let text =
            "files = ['own/learner.py']\n[[tables]]\nreported = 'own/losses.csv'\n[data]\nfiles = [{ name = 'x.csv' }]";
        let mut named = Vec::new();
        name_files(&toml::Value::Table(text.parse().unwrap()), &mut named);
        named.sort();
        assert_eq!(named, ["own/learner.py", "own/losses.csv"]);
    }
}
