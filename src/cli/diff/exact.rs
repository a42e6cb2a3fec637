//! `noregret diff A B --exact`: whether two results folders hold the same values, bit for bit.
//!
//! It compares the tables of runs, traces and rates, what was computed from the rates, the findings of errata and the
//! solutions of comparators. Rows and objects are matched by the fields that describe them, never by keys, so that
//! folders of different versions can be compared. Parquet metadata (keys, configuration, code) and times do not count.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::table::{CellValue, MemoryTable, compare};
use super::tally::{DiffTally, ResultKind};
use super::{json, stored};
use crate::cli::error::CliError;
use noregret_engine::exec::store::names;

/// The columns that identify a run, without its key and its parameters.
const RUN: [&str; 6] = ["experiment", "stream", "learner", "label", "replicate", "horizon"];
/// The columns that identify a value of a row of rates.
const VALUE: [&str; 6] = ["row", "experiment", "label", "quantity", "replicate", "horizon"];

/// The text of the comparison, and whether it failed.
pub(super) fn run(given: [&str; 2]) -> Result<(String, bool), CliError> {
    let folders = [results(given[0])?, results(given[1])?];
    let places = [&folders[0], &folders[1]].map(|folder| folder.canonicalize().ok());
    if places[0].is_some() && places[0] == places[1] {
        return Err(CliError::usage(format!("{} and {} are the same folder", given[0], given[1])));
    }
    let mut tally = DiffTally::new(given);
    runs(&folders, "runs.parquet", &mut tally)?;
    let mut tables = files(&folders, "runs")?;
    tables.extend(files(&folders, "traces")?);
    for name in tables.iter().filter(|name| name.ends_with(".parquet")) {
        let known = runs(&folders, &format!("runs/{name}"), &mut tally)?;
        traces(&folders, &format!("traces/{name}"), &known, &mut tally)?;
    }
    for name in files(&folders, "rates")? {
        rates(&folders, &format!("rates/{name}"), &mut tally)?;
    }
    for (side, folder) in folders.iter().enumerate() {
        if !folder.join("store/manifests").is_dir() {
            for kind in [ResultKind::Errata, ResultKind::Comparators] {
                tally.wrong(kind, side, "no store/manifests, which say where the values are");
            }
        }
    }
    for (kind, stages) in [(ResultKind::Errata, "errata"), (ResultKind::Comparators, "comparator")] {
        let a = stored::objects(&folders[0], 0, kind, stages, &mut tally)?;
        let b = stored::objects(&folders[1], 1, kind, stages, &mut tally)?;
        for name in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
            match (a.get(name), b.get(name)) {
                (Some(a), Some(b)) => json::compare(kind, name, [a, b], &mut tally),
                (a, _) => tally.only(kind, "(object)", usize::from(a.is_none()), name),
            }
        }
    }
    Ok(tally.finish())
}

/// The results folder that was given, or that of the project that was given.
fn results(given: &str) -> Result<PathBuf, CliError> {
    let holds = |folder: &PathBuf| ["runs.parquet", "runs", "store"].iter().any(|name| folder.join(name).exists());
    let path = Path::new(given);
    [path.join("results"), path.to_owned()].into_iter().find(holds).ok_or_else(|| {
        CliError::usage(format!("{given} contains no results; `--exact` compares two projects or results folders"))
    })
}

/// The names of all files that at least one side has in a folder.
fn files(folders: &[PathBuf; 2], name: &str) -> Result<BTreeSet<String>, CliError> {
    let mut all = BTreeSet::new();
    for folder in folders {
        all.extend(names(&folder.join(name)).map_err(CliError::failed)?);
    }
    Ok(all)
}

/// What `read` returns for a file of each side. If only one side has the file, the tally records a difference.
fn both<T>(
    folders: &[PathBuf; 2],
    kind: ResultKind,
    file: &str,
    tally: &mut DiffTally<'_>,
    read: impl Fn(&Path) -> Result<T, CliError>,
) -> Result<Option<[T; 2]>, CliError> {
    let paths = [folders[0].join(file), folders[1].join(file)];
    match [paths[0].is_file(), paths[1].is_file()] {
        [true, true] => Ok(Some([read(&paths[0])?, read(&paths[1])?])),
        [false, false] => Ok(None),
        [a, _] => {
            tally.only(kind, "(file)", usize::from(!a), file);
            Ok(None)
        }
    }
}

/// The names of runs by run_id, on each side.
type RunNames = [HashMap<String, String>; 2];

/// Compares a table of runs, and returns the names of its runs.
fn runs(folders: &[PathBuf; 2], file: &str, tally: &mut DiffTally<'_>) -> Result<RunNames, CliError> {
    let Some(tables) = both(folders, ResultKind::Runs, file, tally, MemoryTable::read)? else {
        return Ok(RunNames::default());
    };
    let called = tables.each_ref().map(|table| named(table, &RUN));
    compare(ResultKind::Runs, file, tables.each_ref(), [&called[0], &called[1]], tally);
    let mut known = RunNames::default();
    for (side, (table, names)) in tables.iter().zip(called).enumerate() {
        let ids = (0..table.rows()).map(|row| table.cell("run_id", row).to_string());
        known[side] = ids.zip(names).collect();
    }
    Ok(known)
}

/// Compares a table of traces. A row is identified by the name of its run in the table of runs, and by its round.
fn traces(folders: &[PathBuf; 2], file: &str, known: &RunNames, tally: &mut DiffTally<'_>) -> Result<(), CliError> {
    let Some(tables) = both(folders, ResultKind::Traces, file, tally, MemoryTable::read)? else { return Ok(()) };
    let name = |table: &MemoryTable, known: &HashMap<String, String>| {
        let one = |row| {
            let run = match table.cell("run_id", row) {
                CellValue::Text(id) => known.get(id).cloned(),
                _ => None,
            };
            format!("{} | t {}", run.unwrap_or_else(|| table.identity(&RUN, row)), table.cell("t", row))
        };
        table.distinct((0..table.rows()).map(one).collect())
    };
    let called = [name(&tables[0], &known[0]), name(&tables[1], &known[1])];
    compare(ResultKind::Traces, file, tables.each_ref(), [&called[0], &called[1]], tally);
    Ok(())
}

/// Compares the values of a row of rates, or what was computed from them.
fn rates(folders: &[PathBuf; 2], file: &str, tally: &mut DiffTally<'_>) -> Result<(), CliError> {
    if file.ends_with(".parquet") {
        if let Some(tables) = both(folders, ResultKind::Rates, file, tally, MemoryTable::read)? {
            let called = tables.each_ref().map(|table| named(table, &VALUE));
            compare(ResultKind::Rates, file, tables.each_ref(), [&called[0], &called[1]], tally);
        }
    } else if file.ends_with(".json") {
        let read = |path: &Path| {
            let text = std::fs::read_to_string(path).map_err(|error| CliError::io("cannot read", path, error))?;
            json::leaves(&text)
                .map_err(|error| CliError::failed(format!("{}: cannot be read as JSON: {error}", path.display())))
        };
        if let Some([a, b]) = both(folders, ResultKind::Rates, file, tally, read)? {
            json::compare(ResultKind::Rates, file, [&a, &b], tally);
        }
    }
    Ok(())
}

/// Distinct names for the rows of a table.
fn named(table: &MemoryTable, columns: &[&str]) -> Vec<String> {
    table.distinct((0..table.rows()).map(|row| table.identity(columns, row)).collect())
}
