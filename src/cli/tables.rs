//! The result tables by the names that `query` and `diff` take: runs, runs/EXPERIMENT, traces/EXPERIMENT, timings.

use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;
use sha2::{Digest as _, Sha256};

use super::error::CliError;
use super::select::profile;
use noregret_core::params::check::nearest;
use noregret_engine::exec::records::record;
use noregret_engine::exec::store::{ResultStore, variants};
use noregret_report::trace::{join, read};
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

/// The folder of the tables of the project, or of one of its variants.
///
/// # Errors
/// There is no such variant.
fn results(project: &Project, variant: Option<&str>) -> Result<PathBuf, CliError> {
    let Some(variant) = variant else { return Ok(project.results()) };
    let names = variants(project.root());
    if names.iter().any(|name| name == variant) {
        return Ok(ResultStore::new(project.root()).of_variant(Some(variant.to_owned())).base().join("results"));
    }
    let here = if names.is_empty() { String::new() } else { format!("; there are: {}", names.join(", ")) };
    Err(CliError::usage(format!("there is no variant `{variant}`{here}")))
}

/// The file of a table of the project, or of one of its variants.
///
/// # Errors
/// A name of another form or of no experiment; a table that was not made yet, with the command that makes it.
pub(super) fn path(project: &Project, variant: Option<&str>, name: &str) -> Result<PathBuf, CliError> {
    let results = results(project, variant)?;
    let folder = if name == "timings" { results.join("log") } else { results.clone() };
    let path = folder.join(format!("{name}.parquet"));
    if is_name(name) && path.is_file() {
        return Ok(path);
    }
    if !is_name(name) {
        return Err(CliError::usage(format!("there is no table `{name}`; the tables are {NAMES}")));
    }
    if let Some((kind, experiment)) = name.split_once('/') {
        let known = project.names(ItemKind::Experiment);
        if !known.iter().any(|known| known == experiment) {
            let hint = nearest(experiment, known.iter().map(String::as_str));
            let hint = hint.map(|near| format!("; did you mean `{kind}/{near}`?")).unwrap_or_default();
            return Err(CliError::usage(format!("there is no experiment `{experiment}`{hint}")));
        }
    }
    let stage = stage(name);
    let chosen = profile(None);
    let profile = match chosen == DEFAULT_PROFILE {
        true => "; give it the --profile of your runs".to_owned(),
        false => format!(" under the profile {chosen}"),
    };
    let here = made(project, &results);
    let here = if here.is_empty() { String::new() } else { format!("; tables that are there: {}", here.join(", ")) };
    let overrides = if variant.is_some() { ", with the overrides of the variant," } else { "" };
    Err(CliError::usage(format!(
        "the table `{name}` is not made yet ({} does not exist): `noregret run {stage}`{overrides} makes it{profile}{here}",
        path.display()
    )))
}

/// The stage that makes a table.
fn stage(name: &str) -> String {
    match name.split_once('/') {
        None if name == "timings" => name.to_owned(),
        None => "summarise/all".to_owned(),
        Some((_, experiment)) => format!("summarise/{experiment}"),
    }
}

/// Makes sure that a table is what was published, as far as there is a record of it.
fn sound(project: &Project, variant: Option<&str>, name: &str, (path, bytes): (&Path, &[u8])) -> Result<(), CliError> {
    let store = ResultStore::new(project.root()).of_variant(variant.map(str::to_owned));
    let outputs = record(&store, &stage(name)).map(|record| record.outputs).unwrap_or_default();
    match outputs.iter().find(|output| store.base().join(&output.path) == *path) {
        Some(output) if output.sha256 != hex::encode(Sha256::digest(bytes)) => Err(CliError::failed(format!(
            "{} is not what was published: it is damaged, or was changed; `noregret verify` takes note of it, and `noregret run {}` then makes it again",
            path.display(),
            stage(name)
        ))),
        _ => Ok(()),
    }
}

/// The tables of runs that are there.
fn made(project: &Project, results: &Path) -> Vec<String> {
    let names = project.names(ItemKind::Experiment).into_iter().map(|name| format!("runs/{name}"));
    names.filter(|name| results.join(format!("{name}.parquet")).is_file()).collect()
}

/// The bytes of a table that is there.
///
/// # Errors
/// See [`path`]; a table that cannot be read, or is not what was published.
fn bytes(project: &Project, variant: Option<&str>, name: &str) -> Result<(String, Vec<u8>), CliError> {
    let path = path(project, variant, name)?;
    let bytes = std::fs::read(&path).map_err(|error| CliError::io("cannot read", &path, error))?;
    sound(project, variant, name, (&path, &bytes))?;
    Ok((path.display().to_string(), bytes))
}

/// The rows of a table of the project, or of one of its variants. The runs of all experiments are those of their own tables:
/// the table of all is older than these where some stages were run by name.
///
/// # Errors
/// See [`path`]; a table that cannot be read, or is not what was published.
pub(super) fn rows(project: &Project, variant: Option<&str>, name: &str) -> Result<DataFrame, CliError> {
    let parts = if name == "runs" { made(project, &results(project, variant)?) } else { Vec::new() };
    let (shown, bytes) = match parts.is_empty() {
        true => bytes(project, variant, name)?,
        false => {
            let parts = parts.iter().map(|part| Ok(bytes(project, variant, part)?.1));
            let joined = join::runs(&parts.collect::<Result<Vec<_>, CliError>>()?);
            (name.to_owned(), joined.map_err(CliError::failed)?)
        }
    };
    let table = match name.split('/').next() {
        Some("timings") => read::times(&shown, bytes),
        Some("traces") => read::traces(&shown, bytes),
        _ => read::runs(&shown, bytes),
    };
    table.map_err(CliError::failed)
}

/// The tables of runs that hold what `query` shows: those of each experiment, or that of all where it stands alone.
pub(super) fn of_runs(project: &Project) -> Vec<PathBuf> {
    let mut names = made(project, &project.results());
    if names.is_empty() {
        names.push("runs".to_owned());
    }
    names.iter().filter_map(|name| path(project, None, name).ok()).collect()
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
