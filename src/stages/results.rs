//! Results of other stages as figures, tables and rows of rates read them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::items::published;
use super::times;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::Experiment;
use crate::compute::experiment;
use crate::config::project::Project;
use noregret_engine::plan::work::{Failure, ItemOutcome, Job};

/// The results of the named experiments among the inputs, with times if `measured`.
pub(super) fn experiments(
    project: &Project,
    names: &[String],
    measured: bool,
    job: &dyn Job,
) -> Result<BTreeMap<String, Experiment>, Failure> {
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
            let timed = times::of_runs(project, Some(ids), &say)?;
            Ok(times::table(&timed)?)
        };
        let times: Option<experiment::Times<'_>> = if measured { Some(&times) } else { None };
        let experiment =
            experiment::read(name, (&runs_path, runs), (&traces_path, traces), times).map_err(Failure::failed)?;
        experiments.insert(name.clone(), experiment);
    }
    Ok(experiments)
}

/// The assessments among the inputs, and the names of the rows that left none.
pub(super) fn assessments(job: &dyn Job) -> Result<(Vec<Assessment>, Vec<String>), Failure> {
    let (mut rows, mut absent) = (Vec::new(), Vec::new());
    let inputs = job.inputs().iter().enumerate();
    for (index, input) in inputs.filter(|(_, input)| input.stage.starts_with("rates/")) {
        let file = match &input.outcome {
            ItemOutcome::Done { files, .. } => {
                files.iter().find(|path| path.extension().is_some_and(|kind| kind == "json"))
            }
            _ => None,
        };
        let Some(file) = file else {
            absent.push(input.stage.clone());
            continue;
        };
        let row = serde_json::from_slice(&job.published(index, file)?);
        rows.push(row.map_err(|error| Failure::about(file.display().to_string(), error))?);
    }
    Ok((rows, absent))
}
