//! The file of numbers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Numbers, ROOT};

/// Where it stands, from the root.
pub const FILE: &str = "tests/ledger/numbers.toml";

/// A number that may not get worse, which is larger, by more than its tolerance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    value: f64,
    /// As a share of the value.
    tolerance: f64,
    /// Why it has this value, and not the smaller one that it had before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
}

/// The numbers by name.
pub struct Book(BTreeMap<String, Entry>);

/// The tolerance of a number that is new, by the unit at the end of its name.
const TOLERANCES: [(&str, f64); 7] = [
    // Resident pages depend on the kernel, too.
    ("peak resident, KiB", 0.15),
    ("peak in use, KiB", 0.05),
    ("asked for, KiB", 0.05),
    ("requests per 1,000 rounds", 0.02),
    ("bytes per 1,000 rounds", 0.02),
    ("packages locked", 0.0),
    ("", 0.02),
];

fn path() -> PathBuf {
    Path::new(ROOT).join(FILE)
}

impl Book {
    /// Reads it; without a file it is empty.
    pub fn read() -> Result<Self, String> {
        match fs::read_to_string(path()) {
            Ok(text) => toml::from_str(&text).map(Self).map_err(|error| format!("{FILE}: {error}")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self(BTreeMap::new())),
            Err(error) => Err(format!("{FILE}: {error}")),
        }
    }

    /// Whether it has a number of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether `found` is worse than the number of this name; without one, than `otherwise`.
    pub fn is_worse(&self, name: &str, found: f64, otherwise: f64) -> bool {
        let (value, tolerance) =
            self.0.get(name).map_or((otherwise, tolerance(name)), |entry| (entry.value, entry.tolerance));
        // Half a unit more, for counts that are next to nothing.
        found > value * (1.0 + tolerance) + 0.5
    }

    /// Says what is worse, new, gone, or so much better that it should be written; returns whether something is worse.
    pub fn compare(&self, numbers: &Numbers) -> bool {
        let mut worse = false;
        for (name, found) in numbers {
            let Some(Entry { value, tolerance, .. }) = self.0.get(name) else {
                println!("new: {name}: {found}");
                continue;
            };
            if self.is_worse(name, *found, *value) {
                eprintln!("worse: {name}: {found}, where {FILE} has {value} (tolerance {} %)", 100.0 * tolerance);
                worse = true;
            } else if *found < value * (1.0 - tolerance) - 0.5 {
                println!("better: {name}: {found}, where {FILE} has {value}");
            }
        }
        for name in self.0.keys().filter(|name| !numbers.contains_key(*name)) {
            println!("not measured: {name}");
        }
        worse
    }

    /// Writes these numbers. Those that got worse, and new ones, get the reason; the others keep theirs.
    pub fn write(&mut self, numbers: &Numbers, reason: &str) -> Result<(), String> {
        for (name, found) in numbers {
            let worse = self.is_worse(name, *found, f64::NEG_INFINITY);
            let entry = self.0.entry(name.clone()).or_insert_with(|| Entry {
                value: *found,
                tolerance: tolerance(name),
                reason: String::new(),
            });
            entry.value = *found;
            if worse {
                entry.reason = reason.to_owned();
            }
        }
        let text = toml::to_string(&self.0).map_err(|error| error.to_string())?;
        let head = "# What the program costs; `make ledger` compares, and `make ledger REASON=\"why\"` writes.\n\n";
        fs::write(path(), format!("{head}{text}")).map_err(|error| format!("{FILE}: {error}"))
    }
}

fn tolerance(name: &str) -> f64 {
    TOLERANCES.iter().find(|(unit, _)| name.ends_with(unit)).map_or(0.0, |(_, tolerance)| *tolerance)
}
