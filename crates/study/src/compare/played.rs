//! What a run is, what it comes to, and what is remembered of it from one call of `compare` to the next: sums, which are
//! those of the same rows, parameters and code, and the times that they took, which are no results. What a call has finished
//! stays, whatever a later one asks for.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::compare::error::CompareError;
use noregret_data::error::DataError;
use noregret_data::files::write;
use noregret_platform::files::take;

/// What decides between settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompareMetric {
    /// The mean squared error
    #[default]
    Squared,
    /// The mean absolute error
    Absolute,
    /// The share of wrong classes (classes only)
    Error,
}

impl CompareMetric {
    /// Its name, as `noregret stream --metrics` takes it.
    pub fn name(self) -> &'static str {
        match self {
            CompareMetric::Squared => "squared",
            CompareMetric::Absolute => "absolute",
            CompareMetric::Error => "error",
        }
    }

    /// What it is called in tables and pictures.
    pub(crate) fn title(self) -> &'static str {
        match self {
            CompareMetric::Squared => "squared loss",
            CompareMetric::Absolute => "absolute loss",
            CompareMetric::Error => "error rate",
        }
    }

    /// The loss of the rounds, as an experiment names it.
    pub(crate) fn loss(self) -> &'static str {
        match self {
            CompareMetric::Squared | CompareMetric::Error => "squared",
            CompareMetric::Absolute => "absolute",
        }
    }
}

/// Sums over rounds, on the scale of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LossSums {
    /// Of squared errors.
    pub(crate) squared: f64,
    /// Of absolute errors.
    pub(crate) absolute: f64,
    /// Of wrong classes; a prediction between the classes counts one half. 0 where targets are no classes.
    pub(crate) wrong: f64,
}

impl LossSums {
    /// The sum that a metric averages.
    pub(crate) fn of(&self, metric: CompareMetric) -> f64 {
        match metric {
            CompareMetric::Squared => self.squared,
            CompareMetric::Absolute => self.absolute,
            CompareMetric::Error => self.wrong,
        }
    }

    /// Adds a round whose target is one of several classes.
    pub(crate) fn add_class(&mut self, right: bool) {
        self.wrong += f64::from(u8::from(!right));
    }

    /// Adds a round; `middle` lies between the two classes, where targets are classes.
    pub(crate) fn add(&mut self, prediction: f64, target: f64, middle: Option<f64>) {
        self.squared += (prediction - target).powi(2);
        self.absolute += (prediction - target).abs();
        if let Some(middle) = middle {
            self.wrong += match (prediction == middle, (prediction > middle) == (target > middle)) {
                (true, _) => 0.5,
                (_, right) => f64::from(u8::from(!right)),
            };
        }
    }
}

impl AddAssign for LossSums {
    fn add_assign(&mut self, other: Self) {
        self.squared += other.squared;
        self.absolute += other.absolute;
        self.wrong += other.wrong;
    }
}

/// How many parts each half of the rows has, at whose ends sums are kept.
const PARTS: u64 = 40;

/// A run: a setting under a seed, for the first so many rows.
#[derive(Clone, Debug)]
pub(crate) struct SettingRun {
    /// The setting, by number.
    pub setting: usize,
    /// Which of the seeds, from 0.
    pub seed: u32,
    /// How many rows.
    pub rows: u64,
    /// The rounds after which sums are kept, ascending.
    pub marks: Arc<[u64]>,
}

/// How many of the last rounds are shown beside their targets.
pub(crate) const SHOWN: u64 = 200;

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunOutcome {
    /// Rounds that were played.
    pub rounds: u64,
    /// The losses of the first one. They may dwarf all others, as nothing is known of the targets then.
    pub(crate) first: LossSums,
    /// The sums over the others.
    pub(crate) later: LossSums,
    /// The sums over parts of the rounds: up to this one, from the part before. The difference of two sums from the first
    /// round on would be lost in the rounding of large ones.
    pub(crate) parts: Vec<(u64, LossSums)>,
    /// The predictions and targets of the last [`SHOWN`] rounds, of runs that judge and whose targets are no classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last: Vec<(f64, f64)>,
    /// What the learner holds.
    pub bytes: Option<f64>,
    /// Why the learner broke down, if it did.
    pub(crate) over: Option<String>,
    /// How long it took, in seconds: of processor time, or, for a process, of the clock. No result.
    #[serde(skip)]
    pub seconds: f64,
}

impl RunOutcome {
    /// The sums over the rounds after `from`, up to `to`; none where a part does not end there.
    pub(crate) fn between(&self, from: u64, to: u64) -> Option<LossSums> {
        let ends = |round| round == 0 || self.parts.iter().any(|(end, _)| *end == round);
        let within = self.parts.iter().filter(|(end, _)| (from + 1..=to).contains(end));
        (ends(from) && ends(to)).then(|| {
            let mut sums = LossSums::default();
            within.for_each(|(_, part)| sums += *part);
            sums
        })
    }
}

/// The rounds at which runs over `rows` rows, an even number, keep their sums: the ends of parts of the two halves.
pub(crate) fn marks(rows: u64) -> Arc<[u64]> {
    let half = rows / 2;
    let mut all: Vec<u64> = (1..=2 * PARTS).map(|part| half * part / PARTS).filter(|round| *round > 0).collect();
    all.dedup();
    all.into()
}

/// A setting that was judged, so that later calls show it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedSetting {
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
type Plays = BTreeMap<u64, RunOutcome>;

/// What was played before, in two files of the project.
#[derive(Debug)]
pub struct PlayMemory {
    path: PathBuf,
    times: PathBuf,
    plays: Mutex<BTreeMap<String, Plays>>,
    /// The settings that were judged, by key of the first seed.
    settled: Mutex<BTreeMap<String, JudgedSetting>>,
    /// How many runs were there already.
    found: AtomicUsize,
}

/// The file of results.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PlaysFile {
    plays: BTreeMap<String, Plays>,
    settled: BTreeMap<String, JudgedSetting>,
}

fn guard<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PlayMemory {
    /// What is remembered in the project at `root`, under a name, in a file of sums and one of times; what cannot be read is
    /// forgotten.
    pub fn open(root: &Path, name: &str) -> Self {
        let path = root.join(format!("results/compare/{name}-plays.json"));
        let times = root.join(format!("results/log/compare-{name}-seconds.json"));
        let PlaysFile { mut plays, settled } = json(&path);
        let seconds: BTreeMap<String, BTreeMap<u64, f64>> = json(&times);
        for (key, plays) in &mut plays {
            for (rows, played) in plays {
                played.seconds = seconds.get(key).and_then(|own| own.get(rows)).copied().unwrap_or_default();
            }
        }
        Self { path, times, plays: Mutex::new(plays), settled: Mutex::new(settled), found: AtomicUsize::default() }
    }

    /// A file that no other call holds in this project as long as it is open: each would forget what the other has played, and
    /// the last one to end would decide what the project says.
    ///
    /// # Errors
    /// Another call holds it, or it cannot be written.
    pub fn hold(&self) -> Result<File, CompareError> {
        let path = self.times.with_file_name("compare.lock");
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        let file = folder.and_then(|()| File::options().create(true).append(true).open(&path)).map_err(|source| {
            let file = path.display().to_string();
            DataError::Io { file, doing: "open it", source }
        })?;
        if take(&file) { Ok(file) } else { Err(CompareError::Busy(path.display().to_string())) }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A run that was played before.
    pub(crate) fn get(&self, key: &str, rows: u64, marks: &[u64]) -> Option<RunOutcome> {
        let known = guard(&self.plays).get(key)?.get(&rows)?.clone();
        // A run of the search keeps no sums on its way.
        let whole = known.over.is_some() || marks.iter().all(|round| known.between(0, *round).is_some());
        whole.then_some(known)
    }

    /// That a known run was used.
    pub(crate) fn used(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a run.
    pub(crate) fn put(&self, key: String, rows: u64, played: RunOutcome) {
        guard(&self.plays).entry(key).or_default().insert(rows, played);
    }

    /// Keeps that a setting was judged.
    pub(crate) fn settle(&self, key: String, settled: JudgedSetting) {
        guard(&self.settled).insert(key, settled);
    }

    /// The settings that were judged on these rows.
    pub fn settled(&self, content: &str) -> Vec<JudgedSetting> {
        guard(&self.settled).values().filter(|one| one.content == content).cloned().collect()
    }

    /// How many runs were known, and how many are now.
    pub fn counts(&self) -> (usize, usize) {
        (self.found.load(Ordering::Relaxed), guard(&self.plays).values().map(BTreeMap::len).sum())
    }

    /// Writes the files.
    ///
    /// # Errors
    /// Why not, with the path.
    pub(crate) fn save(&self) -> Result<(), CompareError> {
        let (plays, settled) = (guard(&self.plays), guard(&self.settled));
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
pub fn put(path: &Path, values: &impl Serialize) -> Result<(), CompareError> {
    Ok(write(path, &serde_json::to_vec_pretty(values)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_by_hand() {
        let mut sums = LossSums::default();
        for (prediction, target) in [(0.5, 1.0), (0.2, -1.0), (0.0, 1.0)] {
            sums.add(prediction, target, Some(0.0));
        }
        assert!(
            (sums.of(CompareMetric::Squared) - 2.69).abs() < 1e-12
                && (sums.of(CompareMetric::Absolute) - 2.7).abs() < 1e-12
        );
        assert_eq!(sums.of(CompareMetric::Error), 1.5);
        // Classes 0 and 1; and no classes at all.
        let mut other = LossSums::default();
        other.add(0.4, 1.0, Some(0.5));
        other.add(3.0, 7.0, None);
        assert_eq!(other.wrong, 1.0);
    }

    #[test]
    fn halves_end_at_marks() {
        for rows in [2, 10, 100, 442, 10_000_000] {
            let marks = marks(rows);
            assert!(marks.contains(&(rows / 2)) && marks.last() == Some(&rows), "{rows}");
            assert!(marks.windows(2).all(|pair| pair[0] < pair[1]) && marks.len() <= 80);
        }
        assert!(marks(0).is_empty());
    }

    #[test]
    fn what_was_played_is_known_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let open = || PlayMemory::open(folder.path(), "x");
        let plays = folder.path().join("results/compare/x-plays.json");
        let later = LossSums { squared: 0.1 + 0.2, absolute: 1e-300, wrong: 2.5 };
        let parts = vec![(4, later), (9, later)];
        let played = RunOutcome { rounds: 9, later, parts, seconds: 1.5, ..RunOutcome::default() };
        let memory = open();
        memory.put("a".into(), 9, played.clone());
        let table: Table = "kernel.bandwidth = 0.5".parse().unwrap();
        let settled =
            JudgedSetting { learner: "x".into(), table, content: "rows".into(), chosen_on: 4, rows: 9, seeds: 1 };
        memory.settle("a".into(), settled.clone());
        memory.save().unwrap();
        let again = open();
        assert_eq!(again.get("a", 9, &[4, 9]), Some(played));
        // Sums that were not kept, other rows, another setting.
        assert_eq!([again.get("a", 9, &[5]), again.get("a", 8, &[]), again.get("b", 9, &[])], [None, None, None]);
        assert_eq!(again.settled("rows"), [settled]);
        assert!(again.settled("others").is_empty());
        // Times are no results.
        assert!(!std::fs::read_to_string(&plays).unwrap().contains("seconds"));
        std::fs::write(&plays, "no JSON").unwrap();
        assert_eq!(open().counts(), (0, 0));
        // Of two calls at once in one project, the second is refused; one in another project, or a later one, is not.
        let held = again.hold().unwrap();
        for name in ["x", "y"] {
            assert!(matches!(PlayMemory::open(folder.path(), name).hold(), Err(CompareError::Busy(_))));
        }
        PlayMemory::open(tempfile::tempdir().unwrap().path(), "x").hold().unwrap();
        drop(held);
        again.hold().unwrap();
    }
}
