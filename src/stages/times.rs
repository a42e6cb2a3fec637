//! The measured times of runs, from the log.

use std::collections::{BTreeMap, BTreeSet};

use polars::prelude::DataFrame;
use serde::Deserialize;

use crate::config::project::Project;
use crate::exec::journal::measurement_files;
use crate::exec::store::Store;
use crate::plan::work::Failure;
use crate::trace::read;
use crate::trace::write::{Time, timings};

/// What a line of the log says about the time of a cell.
#[derive(Deserialize)]
struct Line {
    key: String,
    host: String,
    measurements: Option<Measured>,
}

#[derive(Deserialize)]
struct Measured {
    times: Vec<Time>,
}

/// The time of one run.
pub struct Timed {
    /// Time in the learner up to each checkpoint.
    pub times: Vec<Time>,
    /// The machine that ran it.
    pub host: String,
}

/// The times of the runs whose id `wanted` holds (of all, if None); of a run that was made twice, the last.
pub fn of_runs(project: &Project, wanted: Option<&BTreeSet<String>>) -> Result<BTreeMap<String, Timed>, Failure> {
    let failed = |error: String| Failure::Failed(error);
    let store = Store::new(project.root());
    let mut timed = BTreeMap::new();
    for path in measurement_files(&store).map_err(|error| failed(error.to_string()))? {
        let text = std::fs::read_to_string(&path).map_err(|error| failed(format!("{}: {error}", path.display())))?;
        // A line that was cut off by a killed process is no line.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let Some(measured) = line.measurements else { continue };
            let id: String = line.key.chars().take(16).collect();
            if wanted.is_none_or(|wanted| wanted.contains(&id)) {
                timed.insert(id, Timed { times: measured.times, host: line.host });
            }
        }
    }
    Ok(timed)
}

/// The times as the table that analysis reads.
pub fn table(timed: &BTreeMap<String, Timed>) -> Result<DataFrame, Failure> {
    let rows = timed.iter().map(|(id, timed)| (id.as_str(), timed.times.as_slice(), timed.host.as_str()));
    let bytes = timings(rows).map_err(|error| Failure::Failed(error.to_string()))?;
    read::times("the times of runs", bytes).map_err(|error| Failure::Failed(error.to_string()))
}
