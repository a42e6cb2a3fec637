//! The file of an experiment, with profile and overrides applied, before its cells are made.

use noregret_core::loss::squared;
use noregret_core::paper::Paper;
use serde::Deserialize;
use toml::{Table, Value};

use super::ConfigError;
use super::grid::merge;
use super::overrides::Override;
use super::stream::Rounds;

/// The fields of an experiment's file.
pub const FIELDS: &[&str] = &[
    "title",
    "about",
    "paper",
    "source",
    "seed",
    "replicates",
    "horizons",
    "dense",
    "leaderboard",
    "test-rows",
    "loss",
    "stream",
    "learners",
    "comparator",
    "profile",
];

/// The fields of a learner's table that are not its parameters.
pub(super) const LEARNER_FIELDS: &[&str] = &["name", "label", "horizon", "longest", "replicates", "profile"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) title: String,
    #[serde(default)]
    pub(super) about: String,
    #[serde(default)]
    pub(super) paper: Option<Paper>,
    #[serde(default)]
    pub(super) source: String,
    #[serde(default)]
    pub(super) seed: u64,
    pub(super) replicates: u32,
    pub(super) horizons: Vec<Rounds>,
    #[serde(default)]
    pub(super) dense: bool,
    #[serde(default)]
    pub(super) leaderboard: bool,
    #[serde(default, rename = "test-rows")]
    pub(super) test_rows: u64,
    #[serde(default = "squared")]
    pub(super) loss: Value,
    pub(super) stream: Table,
    pub(super) learners: Vec<Table>,
    pub(super) comparator: Option<Table>,
}

fn squared() -> Value {
    Value::String(squared::ENTRY.name.into())
}

/// Merges the chosen profile's fields into `table` and takes the profiles out of it.
fn apply_profile(
    path: &str,
    table: &mut Table,
    place: &str,
    profile: &str,
    profiles: &[&str],
) -> Result<(), ConfigError> {
    let wrong = |field: String, why: &str| ConfigError::Field { path: path.to_owned(), field, why: why.to_owned() };
    let Some(sizes) = table.remove("profile") else { return Ok(()) };
    let Value::Table(sizes) = sizes else {
        return Err(wrong(place.to_owned(), "must be tables, one for each profile that changes something"));
    };
    if let Some(unknown) = sizes.keys().find(|name| !profiles.contains(&name.as_str())) {
        return Err(wrong(format!("{place}.{unknown}"), &format!("there is no such profile: {}", profiles.join(", "))));
    }
    match sizes.get(profile) {
        None => Ok(()),
        Some(Value::Table(over)) => {
            merge(table, over);
            Ok(())
        }
        Some(_) => Err(wrong(format!("{place}.{profile}"), "must be a table")),
    }
}

/// An experiment's file with profile and overrides applied, before its cells are made.
pub struct Draft {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) file: File,
}

impl Draft {
    /// Applies the profile and the overrides to the table of a file, and checks its fields. `unused` tells which
    /// overrides have fitted nothing so far.
    ///
    /// # Errors
    /// Fields of wrong names or types.
    pub fn new(
        (name, path): (&str, &str),
        mut table: Table,
        (profile, profiles): (&str, &[&str]),
        overrides: &[Override],
        unused: &mut [bool],
    ) -> Result<Self, ConfigError> {
        apply_profile(path, &mut table, "profile", profile, profiles)?;
        if let Some(Value::Array(learners)) = table.get_mut("learners") {
            for (i, learner) in learners.iter_mut().enumerate() {
                if let Value::Table(learner) = learner {
                    apply_profile(path, learner, &format!("learners[{i}].profile"), profile, profiles)?;
                }
            }
        }
        for (change, unused) in overrides.iter().zip(unused) {
            if change.apply(name, &mut table, FIELDS) {
                *unused = false;
            }
        }
        let file: File = table.try_into().map_err(|error: toml::de::Error| ConfigError::Malformed {
            path: path.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        Ok(Self { name: name.to_owned(), path: path.to_owned(), file })
    }
}
