//! What was played before, from one call of `compare` to the next: sums, which are those of the same rows, parameters and
//! code, and the times that they took, which are no results. What a call has finished stays, whatever a later one asks for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::compare::field::Played;
use noregret_data::files::write;

/// A setting that was judged, so that later calls show it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// The learner.
    pub learner: String,
    /// The parameters that its grid set.
    pub table: Table,
    /// What identifies the rows that it was judged on.
    pub content: String,
    /// On how many rows it was chosen.
    pub chosen_on: u64,
    /// How many rows it played.
    pub rows: u64,
    /// Under how many seeds.
    pub seeds: u32,
}

/// The plays of one key: by number of rows.
type Plays = BTreeMap<u64, Played>;

/// What was played before, in two files of the project.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    times: PathBuf,
    plays: Mutex<BTreeMap<String, Plays>>,
    /// The settings that were judged, by key of the first seed.
    settled: Mutex<BTreeMap<String, Settled>>,
    /// How many runs were there already.
    found: AtomicUsize,
}

/// The file of results.
#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    plays: BTreeMap<String, Plays>,
    settled: BTreeMap<String, Settled>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// Reads the files of sums and times; what cannot be read is forgotten.
    pub fn open(path: PathBuf, times: PathBuf) -> Self {
        let File { mut plays, settled } = json(&path);
        let seconds: BTreeMap<String, BTreeMap<u64, f64>> = json(&times);
        for (key, plays) in &mut plays {
            for (rows, played) in plays {
                played.seconds = seconds.get(key).and_then(|own| own.get(rows)).copied().unwrap_or_default();
            }
        }
        Self { path, times, plays: Mutex::new(plays), settled: Mutex::new(settled), found: AtomicUsize::default() }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A run that was played before.
    pub(crate) fn get(&self, key: &str, rows: u64, marks: &[u64]) -> Option<Played> {
        let known = locked(&self.plays).get(key)?.get(&rows)?.clone();
        // A run of the search keeps no sums on its way.
        let whole = known.over.is_some() || marks.iter().all(|round| known.at(*round).is_some());
        whole.then_some(known)
    }

    /// That a known run was used.
    pub(crate) fn used(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a run.
    pub(crate) fn put(&self, key: String, rows: u64, played: Played) {
        locked(&self.plays).entry(key).or_default().insert(rows, played);
    }

    /// Keeps that a setting was judged.
    pub fn settle(&self, key: String, settled: Settled) {
        locked(&self.settled).insert(key, settled);
    }

    /// The settings that were judged on these rows.
    pub fn settled(&self, content: &str) -> Vec<Settled> {
        locked(&self.settled).values().filter(|one| one.content == content).cloned().collect()
    }

    /// How many runs were known, and how many are now.
    pub fn counts(&self) -> (usize, usize) {
        (self.found.load(Ordering::Relaxed), locked(&self.plays).values().map(BTreeMap::len).sum())
    }

    /// Writes the files.
    ///
    /// # Errors
    /// Why not, with the path.
    pub fn save(&self) -> Result<(), String> {
        let (plays, settled) = (locked(&self.plays), locked(&self.settled));
        let seconds = |plays: &Plays| plays.iter().map(|(rows, one)| (*rows, one.seconds)).collect::<BTreeMap<_, _>>();
        put(&self.times, &plays.iter().map(|(key, plays)| (key, seconds(plays))).collect::<BTreeMap<_, _>>())?;
        put(&self.path, &serde_json::json!({ "plays": *plays, "settled": *settled }))
    }
}

fn json<T: DeserializeOwned + Default>(path: &Path) -> T {
    std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Writes values as JSON.
///
/// # Errors
/// Why not, with the path.
pub fn put(path: &Path, values: &impl Serialize) -> Result<(), String> {
    let bytes = serde_json::to_vec_pretty(values).map_err(|error| error.to_string())?;
    write(path, &bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::metric::Sums;

    #[test]
    fn what_was_played_is_known_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Memory::open(folder.path().join("plays.json"), folder.path().join("log/seconds.json"));
        let total = Sums { squared: 0.1 + 0.2, absolute: 1e-300, wrong: 2.5 };
        let played = Played { rounds: 9, total, marks: vec![(4, total)], seconds: 1.5, ..Played::default() };
        let memory = open();
        memory.put("a".into(), 9, played.clone());
        let table: Table = "kernel.bandwidth = 0.5".parse().unwrap();
        let settled = Settled { learner: "x".into(), table, content: "rows".into(), chosen_on: 4, rows: 9, seeds: 1 };
        memory.settle("a".into(), settled.clone());
        memory.save().unwrap();
        let again = open();
        assert_eq!(again.get("a", 9, &[4, 9]), Some(played));
        // Sums that were not kept, other rows, another setting.
        assert_eq!([again.get("a", 9, &[5]), again.get("a", 8, &[]), again.get("b", 9, &[])], [None, None, None]);
        assert_eq!(again.settled("rows"), [settled]);
        assert!(again.settled("others").is_empty());
        // Times are no results.
        assert!(!std::fs::read_to_string(folder.path().join("plays.json")).unwrap().contains("seconds"));
        std::fs::write(folder.path().join("plays.json"), "no JSON").unwrap();
        assert_eq!(open().counts(), (0, 0));
    }
}
