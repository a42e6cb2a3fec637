//! The result tables by the names that `query` and `diff` take: runs, runs/EXPERIMENT, traces/EXPERIMENT, timings.

use std::path::PathBuf;

use polars::prelude::DataFrame;

use super::error::CliError;
use super::select::profile;
use noregret_core::params::check::nearest;
use noregret_report::trace::read;
use noregret_study::config::declared::DEFAULT_PROFILE;
use noregret_study::config::project::Project;
use noregret_study::config::study::ItemKind;

/// The names of the tables.
pub(super) const NAMES: &str = "runs, runs/EXPERIMENT, traces/EXPERIMENT or timings";

/// Whether a word has the form of a table's name.
pub(super) fn is_name(word: &str) -> bool {
    let kind = |prefix: &str| word.strip_prefix(prefix).is_some_and(|name| !name.is_empty() && !name.contains('/'));
    word == "runs" || word == "timings" || kind("runs/") || kind("traces/")
}

/// The file of a table.
///
/// # Errors
/// A name of another form or of no experiment; a table that was not made yet, with the command that makes it.
pub(super) fn path(project: &Project, name: &str) -> Result<PathBuf, CliError> {
    let folder = if name == "timings" { project.results().join("log") } else { project.results() };
    let path = folder.join(format!("{name}.parquet"));
    if is_name(name) && path.is_file() {
        return Ok(path);
    }
    if !is_name(name) {
        return Err(CliError::usage(format!("there is no table `{name}`; the tables are {NAMES}")));
    }
    let stage = match name.split_once('/') {
        None if name == "timings" => name.to_owned(),
        None => "summarise/all".to_owned(),
        Some((kind, experiment)) => {
            let known = project.names(ItemKind::Experiment);
            if !known.iter().any(|known| known == experiment) {
                let hint = nearest(experiment, known.iter().map(String::as_str));
                let hint = hint.map(|near| format!("; did you mean `{kind}/{near}`?")).unwrap_or_default();
                return Err(CliError::usage(format!("there is no experiment `{experiment}`{hint}")));
            }
            format!("summarise/{experiment}")
        }
    };
    let chosen = profile(None);
    let profile = match chosen == DEFAULT_PROFILE {
        true => "; give it the --profile of your runs".to_owned(),
        false => format!(" under the profile {chosen}"),
    };
    let here = made(project);
    let here = if here.is_empty() { String::new() } else { format!("; tables that are there: {}", here.join(", ")) };
    Err(CliError::usage(format!(
        "the table `{name}` is not made yet ({} does not exist): `noregret run {stage}` makes it{profile}{here}",
        path.display()
    )))
}

/// The tables of runs that are there.
fn made(project: &Project) -> Vec<String> {
    let names = project.names(ItemKind::Experiment).into_iter().map(|name| format!("runs/{name}"));
    names.filter(|name| project.results().join(format!("{name}.parquet")).is_file()).collect()
}

/// The rows of a table.
///
/// # Errors
/// See [`path`]; a table that cannot be read.
pub(super) fn rows(project: &Project, name: &str) -> Result<DataFrame, CliError> {
    let path = path(project, name)?;
    let bytes = std::fs::read(&path).map_err(|error| CliError::io("cannot read", &path, error))?;
    let shown = path.display().to_string();
    let table = match name.split('/').next() {
        Some("timings") => read::times(&shown, bytes),
        Some("traces") => read::traces(&shown, bytes),
        _ => read::runs(&shown, bytes),
    };
    table.map_err(CliError::failed)
}

/// The tables of runs that hold what `query` shows: that of all experiments, or else those of each.
pub(super) fn of_runs(project: &Project) -> Vec<PathBuf> {
    match path(project, "runs") {
        Ok(path) => vec![path],
        Err(_) => made(project).iter().filter_map(|name| path(project, name).ok()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_table_has_one_of_four_forms() {
        assert!(["runs", "timings", "runs/casp", "traces/casp"].iter().all(|name| is_name(name)));
        assert!(["", "runs/", "run/casp", "runs/a/b", "../runs"].iter().all(|name| !is_name(name)));
    }
}
