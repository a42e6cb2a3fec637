//! The project that `make mutants` runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use noregret::config::project::{Declared, Project};
use noregret::report::{figure, table};
use noregret_core::comparator::COMPARATORS;
use noregret_core::feature::FAMILIES;
use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::loss::LOSSES;
use noregret_core::noise::NOISES;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_core::window::WINDOWS;

/// The members of all registries that are not named by any string in these values.
fn unnamed(values: &[toml::Value]) -> Vec<&'static str> {
    let mut strings = BTreeSet::new();
    values.iter().for_each(|value| collect(value, &mut strings));
    let members = LEARNERS
        .names()
        .chain(KERNELS.names())
        .chain(FAMILIES.names())
        .chain(LOSSES.names())
        .chain(WINDOWS.names())
        .chain(NOISES.names())
        .chain(CORRUPTIONS.names())
        .chain(STREAMS.names())
        .chain(ADVERSARIES.names())
        .chain(COMPARATORS.names())
        .chain(figure::KINDS.iter().map(|kind| kind.name))
        .chain(table::KINDS.iter().map(|kind| kind.name));
    members.filter(|name| !strings.contains(*name)).collect()
}

fn collect(value: &toml::Value, into: &mut BTreeSet<String>) {
    match value {
        toml::Value::String(text) => drop(into.insert(text.clone())),
        toml::Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
        toml::Value::Table(table) => {
            table.iter().filter(|(key, _)| *key != "label").for_each(|(_, v)| collect(v, into))
        }
        _ => {}
    }
}

/// A member that the project does not use would never run, so its mutants would not be tested.
#[test]
fn the_mutants_project_names_every_member_of_every_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutants");
    let mut values = Vec::new();
    for folder in ["experiments", "figures", "tables"] {
        for entry in fs::read_dir(root.join("pipeline").join(folder)).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            values.push(toml::Value::Table(text.parse().unwrap()));
        }
    }
    assert_eq!(unnamed(&values), Vec::<&str>::new());
    values.retain(|value| value["title"].as_str() != Some("Surrogate kernels"));
    assert_eq!(
        unnamed(&values),
        ["noisy-gaussian", "noisy-radial", "multivariate-gaussian"],
        "what is missing is seen"
    );
    let declared = Declared::load(&Project::find(&root).unwrap(), "paper", &[], &[]).unwrap();
    assert!(!declared.experiments.is_empty() && declared.rates.len() >= 3);
}
