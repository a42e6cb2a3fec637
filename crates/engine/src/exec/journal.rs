//! Logs: how long each item took on which machine, and which runs there were. They are appended to and never read as
//! results.
//!
//! `results/log/measurements*.jsonl` has one line per item that was made: `key, stage, item, group, cost, seconds,
//! cpu, host`, and whatever the work itself measured under `measurements`. Each process appends to a file of its own.
//! `results/log/runs.jsonl` has one line per `run` that did something.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use noregret_platform::machine::host_name;
use serde::{Deserialize, Serialize};

use crate::exec::store::{ResultStore, StoreError, names};
use crate::exec::{clock, scratch};
use crate::plan::estimate::CostRates;

/// One line of the measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// The item's key, in hexadecimal.
    pub key: String,
    /// The stage's name.
    pub stage: String,
    /// The item's label.
    pub item: String,
    /// Items of one group take time in proportion to their cost.
    pub group: String,
    /// The forecast cost.
    pub cost: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// The model of the processor.
    pub(crate) cpu: String,
    /// The name of the machine.
    pub(crate) host: String,
    /// What the work itself measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) measurements: Option<serde_json::Value>,
}

/// One line of the list of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// When it ended, in UTC.
    pub when: String,
    /// What was asked for; empty for everything.
    pub targets: Vec<String>,
    /// The variant that it made, where it was not the project itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// How many threads shared the work.
    pub jobs: usize,
    /// Items made.
    pub made: usize,
    /// Items that failed.
    pub failed: usize,
    /// Items that were not made because an input failed or the run stopped.
    pub left: usize,
    /// Seconds that it took.
    pub seconds: f64,
    /// `done`, `failed`, `interrupted`, `busy` or `stopped`.
    pub end: String,
}

/// The log of one process.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<Option<File>>,
    /// The model of the processor.
    pub(crate) cpu: String,
    /// The name of the machine.
    pub(crate) host: String,
}

impl Journal {
    /// The log of this process. Its file is created with the first line.
    pub(crate) fn new(store: &ResultStore) -> Self {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
        let host = host_name();
        let name = format!("measurements-{:.0}-{}-{}.jsonl", clock::now() * 1e3, scratch::host(), std::process::id());
        Self {
            path: store.log().join(name),
            file: Mutex::new(None),
            cpu: cpu.unwrap_or("unknown").trim().to_owned(),
            host,
        }
    }

    /// Appends a line.
    pub(crate) fn measured(&self, line: &Measurement) -> Result<(), StoreError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match file.as_mut() {
            Some(open) => open,
            None => file.insert(append_to(&self.path)?),
        };
        write_line(open, line).map_err(StoreError::at("write", &self.path))
    }
}

/// Adds a run to the list.
pub(crate) fn log_run(store: &ResultStore, line: &RunLine) -> Result<(), StoreError> {
    let path = store.log().join("runs.jsonl");
    let mut file = append_to(&path)?;
    // When several machines append to one file, only holding it keeps the lines apart. Where it cannot be held, a line may be lost.
    let _ = file.lock();
    write_line(&mut file, line).map_err(StoreError::at("write", &path))
}

/// All runs so far, oldest first, and how many lines cannot be read.
pub fn runs(store: &ResultStore) -> (Vec<RunLine>, usize) {
    let text = fs::read(store.log().join("runs.jsonl")).unwrap_or_default();
    let lines = || text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let runs: Vec<RunLine> = lines().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let lost = lines().count() - runs.len();
    (runs, lost)
}

/// The files of measurements, oldest first: what `gc` has joined, then those of processes, in the order in which these
/// began.
pub fn measurement_files(store: &ResultStore) -> Result<Vec<PathBuf>, StoreError> {
    let mut files: Vec<String> = names(&store.log())?;
    files.retain(|name| name.starts_with("measurements") && name.ends_with(".jsonl"));
    // Names of processes begin with milliseconds since 1970, and `-` comes before `.`.
    let begin = |name: &str| name.split('-').nth(1).and_then(|time| time.parse::<u64>().ok());
    files.sort_unstable_by(|a, b| (begin(a), a).cmp(&(begin(b), b)));
    Ok(files.into_iter().map(|name| store.log().join(name)).collect())
}

/// The rates of all groups, from all measurements. Lines that cannot be read (because a process died while writing) are
/// skipped.
pub fn rates(store: &ResultStore) -> Result<CostRates, StoreError> {
    #[derive(Deserialize)]
    struct JournalLine {
        group: String,
        cost: f64,
        seconds: f64,
    }
    let mut rates = CostRates::default();
    for path in measurement_files(store)? {
        each_line(&path, |line| {
            let line = serde_json::from_slice::<JournalLine>(line).ok();
            line.map(|line| rates.add(&line.group, line.cost, line.seconds)).is_some()
        })?;
    }
    Ok(rates)
}

/// Hands the lines of a log to `used`, which says whether it could read its line. Returns a warning if it could not
/// read some. A log that is gone has no lines.
pub fn each_line(path: &Path, mut used: impl FnMut(&[u8]) -> bool) -> Result<Option<String>, StoreError> {
    let Some(file) = StoreError::if_there(path, File::open(path))? else { return Ok(None) };
    let mut skipped = 0;
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(StoreError::at("read", path))?;
        skipped += usize::from(!line.is_empty() && !used(&line));
    }
    let lines = if skipped == 1 { "line that cannot be read was" } else { "lines that cannot be read were" };
    let shown = path.display();
    Ok((skipped > 0).then(|| format!("warning: {shown}: {skipped} {lines} skipped (a killed run may leave one)")))
}

fn append_to(path: &std::path::Path) -> Result<File, StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(StoreError::at("create", folder))?;
    }
    File::options().append(true).create(true).open(path).map_err(StoreError::at("open", path))
}

/// One write per line, so that lines of several processes do not mix.
fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_measurements_are_older_than_those_of_processes() -> Result<(), StoreError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path());
        fs::create_dir_all(store.log()).expect("a folder");
        let order = ["measurements.jsonl", "measurements-999-a-1.jsonl", "measurements-1000-a-1.jsonl"];
        for name in order.iter().chain(&["runs.jsonl", "measurements.txt"]) {
            fs::write(store.log().join(name), "").expect("a file");
        }
        assert_eq!(measurement_files(&store)?, order.map(|name| store.log().join(name)));
        Ok(())
    }
}
