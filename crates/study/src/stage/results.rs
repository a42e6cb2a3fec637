//! Results of other stages as figures, tables and rows of rates read them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::items::published;
use crate::config::project::Project;
use crate::summarise::read;
use crate::timings::stage::{of_runs, table};
use noregret_engine::plan::work::{Failure, ItemOutcome, Job};
use noregret_report::analysis::record::ExperimentResults;

/// The results of the named experiments among the inputs, with times if `measured`.
pub(crate) fn experiments(
    project: &Project,
    names: &[String],
    measured: bool,
    job: &dyn Job,
) -> Result<BTreeMap<String, ExperimentResults>, Failure> {
    let mut files = published(job, |path| path.starts_with("results/runs") || path.starts_with("results/traces"))?;
    let mut experiments = BTreeMap::new();
    let told = RefCell::new(BTreeSet::new());
    for name in names {
        let mut take = |folder: &str| {
            let path = format!("results/{folder}/{name}.parquet");
            files.remove(Path::new(&path)).map(|bytes| (path, bytes))
        };
        let (Some((runs_path, runs)), Some((traces_path, traces))) = (take("runs"), take("traces")) else { continue };
        let times = |ids: &BTreeSet<String>| {
            let say = |warning: &str| {
                // The log is that of all experiments.
                if told.borrow_mut().insert(warning.to_owned()) {
                    job.say(warning);
                }
            };
            let timed = of_runs(project, Some(ids), &say)?;
            Ok(table(&timed)?)
        };
        let times: Option<read::Times<'_>> = if measured { Some(&times) } else { None };
        let experiment =
            read::read(name, (&runs_path, runs), (&traces_path, traces), times).map_err(Failure::failed)?;
        experiments.insert(name.clone(), experiment);
    }
    Ok(experiments)
}

/// What the stages of a kind (`figure/`, `rates/`) among the inputs say of themselves, and the names of those that left
/// nothing.
pub(crate) fn described<T: DeserializeOwned>(kind: &str, job: &dyn Job) -> Result<(Vec<T>, Vec<String>), Failure> {
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    let inputs = job.inputs().iter().enumerate();
    for (index, input) in inputs.filter(|(_, input)| input.stage.starts_with(kind)) {
        let Some(file) = description(&input.outcome) else {
            absent.push(input.stage.clone());
            continue;
        };
        let one = serde_json::from_slice(&job.published(index, file)?);
        found.push(one.map_err(|error| Failure::about(file.display().to_string(), error))?);
    }
    Ok((found, absent))
}

/// The JSON file that a stage with a single item left.
fn description(outcome: &ItemOutcome) -> Option<&PathBuf> {
    match outcome {
        ItemOutcome::Done { files, .. } => {
            files.iter().find(|path| path.extension().is_some_and(|kind| kind == "json"))
        }
        _ => None,
    }
}
