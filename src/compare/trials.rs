//! Plays settings on a prepared file, and remembers how they did from one call of `compare` to the next.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use noregret_core::protocol::cell::Cell;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::design::Design;
use noregret_core::protocol::protocols;
use noregret_core::protocol::record::RunStatus;
use noregret_core::stream::table::Examples;
use rayon::prelude::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::code::CODEBASE;
use crate::compare::candidates::Candidate;
use crate::compare::halving::Outcome;
use crate::compute::cell::MODULE;
use crate::config::ConfigError;
use crate::config::draft::Draft;
use crate::config::experiment::Experiment;
use crate::config::learners::Learners;
use crate::dataset::declaration::Dataset;
use crate::dataset::files::write;

/// How often the progress of a rung is told, at most.
const TOLD: Duration = Duration::from_secs(5);

/// What decides between settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The mean squared error
    #[default]
    Squared,
    /// The mean absolute error
    Absolute,
    /// The share of wrong classes (two classes only)
    Error,
}

impl Metric {
    /// The loss of the rounds, as an experiment names it.
    pub fn loss(self) -> &'static str {
        match self {
            Metric::Squared | Metric::Error => "squared",
            Metric::Absolute => "absolute",
        }
    }
}

/// The fields of an experiment that key its draws, and what it plays.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Its name.
    pub name: String,
    /// Its `[stream]`.
    pub stream: Table,
    /// Its seed.
    pub seed: u64,
    /// What decides.
    pub metric: Metric,
}

/// A prepared file with everything that is needed to play on it.
pub struct Arena {
    /// What is played.
    pub setup: Setup,
    /// The learners that there are.
    pub learners: Arc<Learners>,
    /// The datasets by name: this one.
    pub datasets: BTreeMap<String, Dataset>,
    /// Its rows, prepared.
    pub table: Arc<Examples>,
    /// What identifies the rows and their preparation.
    pub content: String,
}

impl Arena {
    /// The cell of a setting: that which an experiment with these learners would have, so that it has the same numbers.
    ///
    /// # Errors
    /// A setting that does not fit the file.
    pub fn cell(&self, candidate: &Candidate, rows: u64) -> Result<(Design, Cell), ConfigError> {
        let mut learner = candidate.table.clone();
        learner.insert("name".into(), Value::String(candidate.learner.name.into()));
        learner.insert("label".into(), Value::String(candidate.learner.name.into()));
        let file = Table::from_iter([
            ("title".to_owned(), Value::String(String::new())),
            ("replicates".to_owned(), Value::Integer(1)),
            ("horizons".to_owned(), Value::Array(vec![Value::Integer(rows as i64)])),
            ("seed".to_owned(), Value::Integer(self.setup.seed as i64)),
            ("loss".to_owned(), Value::String(self.setup.metric.loss().to_owned())),
            ("stream".to_owned(), Value::Table(self.setup.stream.clone())),
            ("learners".to_owned(), Value::Array(vec![Value::Table(learner)])),
        ]);
        let name = self.setup.name.as_str();
        let draft = Draft::new((name, name), file, ("", &[]), &[], &mut [], &self.learners)?;
        let experiment = Experiment::check(draft, &self.datasets)?;
        let cell = experiment.cells.first().cloned();
        let cell = cell.ok_or_else(|| ConfigError::Specification(format!("{name} has no cells")))?;
        Ok((experiment.design, cell))
    }

    /// What a result depends on: setting, rows, code.
    fn key(&self, design: &Design, cell: &Cell) -> String {
        let members: Vec<&'static str> =
            cell.modules(design).into_iter().chain([protocols::of(design, cell).module, MODULE]).collect();
        let mut hash = Sha256::new();
        for part in [&cell.canonical(design), &self.content, &CODEBASE.closure(&members).digest] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        hex::encode(hash.finalize())
    }

    /// Plays a setting for the first `rows` rows. None if it was interrupted.
    fn play(&self, candidate: &Candidate, rows: u64, memory: &Memory, stop: &dyn Fn() -> bool) -> Option<Outcome> {
        let Ok((design, cell)) = self.cell(candidate, rows) else {
            return Some(Outcome { score: None, seconds: 0.0 });
        };
        let key = self.key(&design, &cell);
        if let Some(known) = memory.get(&key) {
            return Some(known);
        }
        let protocol = protocols::of(&design, &cell);
        // Processor time: that of the clock depends on what else the machine does.
        let mut watch = Stopwatch::default();
        let record = watch.time(|| cell.play(&design, protocol, Some(self.table.clone()), &stop));
        let seconds = watch.spent().cpu_ns as f64 * 1e-9;
        let record = match record {
            Ok(record) => record,
            Err(_) if stop() => return None,
            Err(_) => return Some(Outcome { score: None, seconds }),
        };
        let last = record.checkpoints.last().filter(|_| record.status == RunStatus::Done);
        let total = last.and_then(|last| match self.setup.metric {
            Metric::Squared | Metric::Absolute => Some(last.cumulative_loss),
            Metric::Error => last.cumulative_error,
        });
        let score = total.map(|total| total / record.rounds.max(1) as f64).filter(|score| score.is_finite());
        let outcome = Outcome { score, seconds };
        memory.put(key, outcome);
        Some(outcome)
    }

    /// Plays settings side by side on the threads of the current pool; `stop` is asked while they play.
    pub fn play_all(
        &self,
        settings: &[&Candidate],
        rows: u64,
        memory: &Memory,
        stop: &(dyn Fn(&Candidate) -> bool + Sync),
        say: &(dyn Fn(&str) + Sync),
    ) -> Vec<Option<Outcome>> {
        let (done, told) = (AtomicUsize::new(0), Mutex::new(Instant::now()));
        let one = |candidate: &&Candidate| {
            let stop = || stop(candidate);
            let outcome = if stop() { None } else { self.play(candidate, rows, memory, &stop) };
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() >= TOLD && done < settings.len() {
                *told = Instant::now();
                say(&format!("  {done} of {} settings", settings.len()));
            }
            outcome
        };
        settings.par_iter().with_max_len(1).map(one).collect()
    }
}

/// How settings did before, in two files of the project: scores, which are those of the same rows, parameters and code, and
/// the times that they took, which are no results.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    times: PathBuf,
    known: Mutex<BTreeMap<String, Outcome>>,
    /// How many were there already.
    found: AtomicUsize,
}

impl Memory {
    /// Reads the files of scores and times; what cannot be read is forgotten.
    pub fn open(path: PathBuf, times: PathBuf) -> Self {
        let (scores, seconds): (BTreeMap<String, Option<f64>>, BTreeMap<String, f64>) = (json(&path), json(&times));
        let known = scores.into_iter().filter_map(|(key, score)| {
            let seconds = *seconds.get(&key)?;
            Some((key, Outcome { score, seconds }))
        });
        Self { path, times, known: Mutex::new(known.collect()), found: AtomicUsize::new(0) }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn get(&self, key: &str) -> Option<Outcome> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied()?;
        self.found.fetch_add(1, Ordering::Relaxed);
        Some(known)
    }

    fn put(&self, key: String, outcome: Outcome) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, outcome);
    }

    /// How many settings were known, and how many are now.
    pub fn counts(&self) -> (usize, usize) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).len();
        (self.found.load(Ordering::Relaxed), known)
    }

    /// Writes the files.
    ///
    /// # Errors
    /// Why not, with the path.
    pub fn save(&self) -> Result<(), String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        put(&self.times, &known.iter().map(|(key, outcome)| (key, outcome.seconds)).collect::<BTreeMap<_, _>>())?;
        put(&self.path, &known.iter().map(|(key, outcome)| (key, outcome.score)).collect::<BTreeMap<_, _>>())
    }
}

fn json<T: DeserializeOwned + Default>(path: &Path) -> T {
    std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn put(path: &Path, values: &impl Serialize) -> Result<(), String> {
    let bytes = serde_json::to_vec_pretty(values).map_err(|error| error.to_string())?;
    write(path, &bytes).map_err(|error| error.to_string())
}
