//! The project that `make mutants` runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;
use noregret_report::{figure, table};
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;

/// The members of all registries that these files do not name where members of their registry stand.
fn unnamed(values: &[toml::Value]) -> Vec<&'static str> {
    let mut named = BTreeSet::new();
    values.iter().for_each(|value| collect("", value, &mut named));
    let figures: Vec<&str> = figure::KINDS.iter().map(|kind| kind.name).collect();
    let tables: Vec<&str> = table::KINDS.iter().map(|kind| kind.name).collect();
    let registries: [(&[&str], Vec<&'static str>); 12] = [
        (&["learners"], LEARNERS.names().collect()),
        (&["kernel"], KERNELS.names().collect()),
        (&["feature", "of"], FAMILIES.names().collect()),
        (&["loss"], LOSSES.names().collect()),
        (&["window"], WINDOWS.names().collect()),
        (&["inputs", "targets"], NOISES.names().collect()),
        (&["corruption"], CORRUPTIONS.names().collect()),
        (&["law"], STREAMS.names().collect()),
        (&["law"], ADVERSARIES.names().collect()),
        (&["comparator"], COMPARATORS.names().collect()),
        (&["kind"], figures),
        (&["kind"], tables),
    ];
    let is_named = |keys: &[&str], name: &str| keys.iter().any(|key| named.contains(&(*key, name)));
    let missing = |(keys, names): (&'static [&'static str], Vec<&'static str>)| {
        names.into_iter().filter(|name| !is_named(keys, name)).collect::<Vec<_>>()
    };
    registries.into_iter().flat_map(missing).collect()
}

/// Strings with the key where they stand. The key of a `name` is that of its table.
fn collect<'a>(key: &'a str, value: &'a toml::Value, into: &mut BTreeSet<(&'a str, &'a str)>) {
    match value {
        toml::Value::String(text) => _ = into.insert((key, text)),
        toml::Value::Array(values) => values.iter().for_each(|value| collect(key, value, into)),
        toml::Value::Table(table) => {
            for (own, value) in table {
                collect(if ["name", "zip"].contains(&own.as_str()) { key } else { own }, value, into);
            }
        }
        _ => {}
    }
}

/// A member that the project does not use would never run, so its mutants would not be tested.
#[test]
fn the_mutants_project_names_every_member_of_every_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/mutants");
    let mut values = Vec::new();
    for folder in ["experiments", "figures", "tables"] {
        for entry in fs::read_dir(root.join("pipeline").join(folder)).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            values.push(toml::Value::Table(text.parse().unwrap()));
        }
    }
    assert_eq!(unnamed(&values), Vec::<&str>::new(), "add these to xtask/mutants/pipeline");
    values.retain(|value| value["title"].as_str() != Some("Surrogate kernels"));
    assert_eq!(
        unnamed(&values),
        ["noisy-gaussian", "noisy-radial", "multivariate-gaussian"],
        "what is missing is seen"
    );
    let declared = Declared::load(&Project::find(&root).unwrap(), "paper", &[], &[]).unwrap();
    assert!(!declared.experiments.is_empty() && declared.rates.len() >= 3);
}

/// The unchanged program runs it without a failure: `make mutants` judges nothing where it does not.
#[test]
fn the_unchanged_program_runs_the_mutants_project() {
    let folder = tempfile::tempdir().unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/mutants");
    copy(&project.join("pipeline"), &folder.path().join("pipeline"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
    let ended = command.args(["run", "--offline", "-j", "2"]).current_dir(folder.path()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &to) } else { _ = fs::copy(entry.path(), to).unwrap() }
    }
}
