//! The measured times of runs, from the log; and `timings`, which makes a table of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use polars::prelude::DataFrame;
use serde::Deserialize;
use serde_json::json;

use crate::code;
use crate::config::project::Project;
use crate::stage::items::{single, whole};
use noregret_engine::exec::journal::{each_line, measurement_files};
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};
use noregret_report::trace::read;
use noregret_report::trace::write::{self, Time, timings};

/// What a line of the log says about the time of a cell.
#[derive(Deserialize)]
struct LogLine {
    key: String,
    host: String,
    measurements: Option<LoggedTimes>,
}

#[derive(Deserialize)]
struct LoggedTimes {
    /// Empty for trials of parameters, of which processes are measured and not rounds.
    #[serde(default)]
    times: Vec<Time>,
}

/// The time of one run.
pub(crate) struct RunTimes {
    /// Time in the learner up to each checkpoint.
    pub(crate) times: Vec<Time>,
    /// The machine that ran it.
    pub(crate) host: String,
}

/// The times of the runs whose id `wanted` holds (of all, if None); for a run that was made twice, the last ones. `say`
/// is told of lines that cannot be read, once for each file.
pub(crate) fn of_runs(
    project: &Project,
    wanted: Option<&BTreeSet<String>>,
    say: &dyn Fn(&str),
) -> Result<BTreeMap<String, RunTimes>, Failure> {
    let store = ResultStore::new(project.root());
    let mut timed = BTreeMap::new();
    for path in measurement_files(&store).map_err(Failure::failed)? {
        // A process that was killed may leave half a line, or half a character, which is skipped.
        let warning = each_line(&path, |line| {
            let Ok(line) = serde_json::from_slice::<LogLine>(line) else { return false };
            let Some(LoggedTimes { times }) = line.measurements else { return true };
            let id: String = line.key.chars().take(16).collect();
            if !times.is_empty() && wanted.is_none_or(|wanted| wanted.contains(&id)) {
                timed.insert(id, RunTimes { times, host: line.host });
            }
            true
        });
        if let Some(warning) = warning.map_err(Failure::failed)? {
            say(&warning);
        }
    }
    Ok(timed)
}

/// The times as the table that analysis reads.
pub(crate) fn table(timed: &BTreeMap<String, RunTimes>) -> Result<DataFrame, Failure> {
    read::times("the times of runs", bytes(timed)?).map_err(Failure::failed)
}

fn bytes(timed: &BTreeMap<String, RunTimes>) -> Result<Vec<u8>, Failure> {
    let rows = timed.iter().map(|(id, timed)| (id.as_str(), timed.times.as_slice(), timed.host.as_str()));
    timings(rows).map_err(Failure::failed)
}

/// The item and the work of `timings`: the times of all runs as a table, beside the log that they come from.
pub(crate) fn stage(project: &Project, summaries: &[usize]) -> (Item, Arc<dyn Work>) {
    single(Timings { project: project.clone() }, whole(summaries, Need::Optional))
}

struct Timings {
    project: Project,
}

impl Work for Timings {
    fn facts(&self, _: usize) -> Facts {
        let code = code::behind(module_path!(), write::MODULE, &[]);
        Facts { parameters: json!({ "table": "timings" }), code }
    }

    fn reproducible(&self) -> bool {
        false
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let bytes = bytes(&of_runs(&self.project, None, &|warning| job.say(warning))?)?;
        Ok(Product::Files(vec![(PathBuf::from("results/log/timings.parquet"), bytes)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_of_the_log_is_skipped_and_told_of() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pipeline/experiments", "results/log"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let line = |key: &str| {
            let times = json!([{ "t": 1, "cpu_ns": 2, "wall_ns": 3 }]);
            json!({ "key": key, "host": "h", "measurements": { "times": times } }).to_string()
        };
        // The second line ends within a character.
        let log = [line("a").as_bytes(), b"\n{\"key\": \"\xc3", b"\n", line("b").as_bytes(), b"\n"].concat();
        let trials = br#"{"key":"c","host":"h","measurements":{"processes":[]}}"#;
        std::fs::write(folder.path().join("results/log/measurements-2.jsonl"), trials).unwrap();
        std::fs::write(folder.path().join("results/log/measurements-1.jsonl"), log).unwrap();
        let told = std::cell::RefCell::new(Vec::new());
        let say = |warning: &str| told.borrow_mut().push(warning.to_owned());
        let timed = of_runs(&Project::find(folder.path()).unwrap(), None, &say).unwrap();
        assert_eq!(told.borrow().len(), 1);
        let warning = "measurements-1.jsonl: 1 line that cannot be read was skipped";
        assert!(told.borrow()[0].contains(warning), "{told:?}");
        assert_eq!(timed.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(timed["b"].times[0].cpu_ns, 2);
    }
}
