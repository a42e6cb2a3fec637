//! What the studies of this repository declare.

use std::path::Path;

use noregret_study::config::study::{ItemKind, Studies};

fn studies() -> Studies {
    Studies::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline")).unwrap()
}

/// Everything of a kind, by name, with what it has from its study.
pub fn all(kind: ItemKind) -> Vec<(String, toml::Table)> {
    studies().of(kind).map(|(name, item)| (name.clone(), item.table().unwrap())).collect()
}

/// The keys of one exhibit, with those that it has from its study.
pub fn keys(kind: ItemKind, name: &str) -> toml::Table {
    let studies = studies();
    studies.get(kind, name).unwrap_or_else(|| panic!("there is no {name}")).table().unwrap()
}

/// One exhibit as a file of its own.
pub fn text(kind: ItemKind, name: &str) -> String {
    toml::to_string(&keys(kind, name)).unwrap()
}
