//! The published results of an experiment, for commands that show them after a run.

use super::times;
use crate::analysis::record::Experiment;
use crate::compute::experiment;
use crate::config::project::Project;
use noregret_engine::plan::work::Failure;

/// The runs, traces and measured times of experiment `name`, as they stand in the project.
///
/// # Errors
/// Files that are missing or damaged.
pub fn outcome(project: &Project, name: &str) -> Result<Experiment, Failure> {
    let read = |folder: &str| {
        let path = format!("results/{folder}/{name}.parquet");
        let bytes = std::fs::read(project.root().join(&path)).map_err(|error| Failure::about(path.clone(), error))?;
        Ok::<_, Failure>((path, bytes))
    };
    let ((runs_path, runs), (traces_path, traces)) = (read("runs")?, read("traces")?);
    let times = |ids: &_| Ok(times::table(&times::of_runs(project, Some(ids), &|_| ())?)?);
    experiment::read(name, (&runs_path, runs), (&traces_path, traces), Some(&times)).map_err(Failure::failed)
}
