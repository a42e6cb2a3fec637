//! `noregret diff A B`: compares two sets of results, or two runs.

mod exact;
mod json;
mod stored;
mod table;
mod tally;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use polars::prelude::DataFrame;

use super::error::CliError;
use super::show::{json, write};
use super::{exit, tables};
use noregret_report::against::{ComparisonKey, SideValues as Values};
use noregret_report::trace::gauge::GAUGES;
use noregret_report::trace::read;
use noregret_report::trace::schema::{CHECKPOINTS, ENDINGS, IDENTITY, MEASURE, ResultColumn, Type};
use noregret_stream::value::tolerance;
use noregret_study::config::project::Project;
use noregret_study::config::study::ItemKind;

/// Arguments of `noregret diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A run id (4 digits or more), a table as `query` names it (runs/casp, traces/casp) or its file, a project, or a
    /// results folder
    a: String,
    /// What to compare it with, of the same kind
    b: String,
    /// Numbers count as equal up to this relative difference
    #[arg(long, value_name = "X", default_value = "1e-9", value_parser = tolerance)]
    tolerance: f64,
    /// Compare all values of two projects or results folders bit by bit: runs, traces, rates, errata and comparators
    ///
    /// Keys, run ids, configuration, times and the order of rows do not count.
    #[arg(long, conflicts_with = "tolerance")]
    exact: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A row of a run: all fields as text, and those that are numbers.
#[derive(Default)]
struct RunFields {
    fields: BTreeMap<String, String>,
    numbers: BTreeMap<String, f64>,
}

/// Prints the comparison; the exit status is 1 if anything differs.
pub(crate) fn run(project: Option<&Project>, args: &DiffArgs, out: &mut dyn Write) -> Result<u8, CliError> {
    let (text, differ) = compared(project, args)?;
    if args.json {
        let lines: Vec<&str> = text.lines().collect();
        json(&serde_json::json!({ "a": args.a, "b": args.b, "differ": differ, "lines": lines }), out)?;
    } else {
        write(&text, out)?;
    }
    Ok(if differ { exit::FAILED } else { exit::DONE })
}

/// The text of the comparison, and whether anything differs.
fn compared(project: Option<&Project>, args: &DiffArgs) -> Result<(String, bool), CliError> {
    if args.exact {
        return exact::run([&args.a, &args.b]);
    }
    let (a, b) = (side(project, &args.a)?, side(project, &args.b)?);
    match (a, b) {
        (DiffSide::One(a), DiffSide::One(b)) => Ok(one(&a, &b, args)),
        (DiffSide::All(a), DiffSide::All(b)) if a.is_empty() || b.is_empty() || is_trace(&a) == is_trace(&b) => {
            Ok(all(&a, &b, args))
        }
        (DiffSide::All(_), DiffSide::All(_)) => Err(CliError::usage("give two tables of runs, or two of traces")),
        _ => Err(CliError::usage("give two runs, or two tables or results folders")),
    }
}

enum DiffSide {
    One(RunFields),
    All(BTreeMap<String, RunFields>),
}

fn side(project: Option<&Project>, given: &str) -> Result<DiffSide, CliError> {
    let path = Path::new(given);
    if path.is_dir() {
        return folder(path).map(DiffSide::All);
    }
    if path.is_file() {
        return table(path).map(DiffSide::All);
    }
    if let Some(project) = project.filter(|project| given == "runs" && project.results().is_dir()) {
        return folder(&project.results()).map(DiffSide::All);
    }
    if let Some(project) = project.filter(|_| tables::is_name(given)) {
        return table(&tables::path(project, None, given)?).map(DiffSide::All);
    }
    let id = given.len() >= 4 && given.chars().all(|c| c.is_ascii_hexdigit());
    let project = project.filter(|_| id).ok_or_else(|| {
        CliError::usage(format!(
            "`{given}` is not a file, a folder, a table (runs/EXPERIMENT, traces/EXPERIMENT) or the beginning (4 \
             digits or more) of a run id"
        ))
    })?;
    let mut found = Vec::new();
    for path in tables::of_runs(project) {
        let rows = table(&path)?.into_values();
        found.extend(rows.filter(|row| row.fields.get("run_id").is_some_and(|id| id.starts_with(given))));
    }
    match (found.pop(), found.len()) {
        (Some(row), 0) => Ok(DiffSide::One(row)),
        (Some(_), more) => Err(CliError::usage(format!("{} runs begin with {given}; give more digits", more + 1))),
        (None, _) => Err(CliError::usage(format!("no run begins with {given} (see `noregret query`)"))),
    }
}

/// The rows of all runs in a project, a variant or a results folder: those of the tables of its experiments, which are newer
/// than `runs.parquet` where some stages were run by name; of that one where it stands alone. Experiments that a project no
/// longer declares have left tables behind.
fn folder(path: &Path) -> Result<BTreeMap<String, RunFields>, CliError> {
    let project = path.canonicalize().ok().and_then(|path| Project::find(&path).ok());
    let declared = project.map(|project| project.names(ItemKind::Experiment));
    for results in [path.to_owned(), path.join("results")] {
        let mut rows = BTreeMap::new();
        let files =
            std::fs::read_dir(results.join("runs")).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let stem = |file: &Path| file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        let is_declared =
            |file: &PathBuf| declared.as_ref().is_none_or(|known| stem(file).is_some_and(|stem| known.contains(&stem)));
        let tables = files.filter(|file| file.extension().is_some_and(|kind| kind == "parquet")).filter(is_declared);
        for file in tables {
            rows.extend(table(&file)?);
        }
        if !rows.is_empty() {
            return Ok(rows);
        }
        let all = results.join("runs.parquet");
        if all.is_file() {
            return table(&all);
        }
    }
    let shown = path.display();
    Err(CliError::usage(format!(
        "{shown} contains no results (runs.parquet, runs/*.parquet); `noregret run` makes them"
    )))
}

/// The values of the runs in a folder that [`folder`] reads, replicate by replicate: losses, errors, regret, measures; and
/// how many runs ended early, which are left out.
pub(super) fn values(path: &Path) -> Result<(Values, usize), CliError> {
    let (mut side, mut left_out) = (Values::new(), 0);
    for row in folder(path)?.into_values() {
        if row.fields.get("status").is_some_and(|status| status != "done") {
            left_out += 1;
            continue;
        }
        let text = |field: &str| row.fields.get(field).cloned().unwrap_or_default();
        let count = |field: &str| row.numbers.get(field).map_or(0, |number| *number as u64);
        let number = |field: &str| row.numbers.get(field).copied();
        let regret = number("cumulative_loss").zip(number("comparator_loss")).map(|(loss, best)| loss - best);
        let error = number("cumulative_error").zip(number("rounds")).map(|(errors, rounds)| errors / rounds);
        let fixed = [("average_loss", number("average_loss")), ("error_rate", error), ("regret", regret)];
        let fixed = fixed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let measures =
            row.numbers.iter().filter_map(|(name, value)| Some((format!("m:{}", name.strip_prefix(MEASURE)?), *value)));
        for (quantity, value) in fixed.chain(measures) {
            let place = ComparisonKey {
                experiment: text("experiment"),
                stream: text("stream"),
                label: text("label"),
                horizon: count("horizon"),
                quantity,
            };
            side.entry(place).or_default().insert(count("replicate"), value);
        }
    }
    Ok((side, left_out))
}

/// The rows of a table of runs, by the fields that identify a run (without its key).
fn table(path: &Path) -> Result<BTreeMap<String, RunFields>, CliError> {
    let bytes = std::fs::read(path).map_err(|error| CliError::io("cannot read", path, error))?;
    let name = path.display().to_string();
    let traces = path.parent().is_some_and(|folder| folder.ends_with("traces"));
    let frame = if traces { read::traces(&name, bytes) } else { read::runs(&name, bytes) };
    let frame = frame.map_err(CliError::failed)?;
    let mut rows: Vec<RunFields> = (0..frame.height()).map(|_| RunFields::default()).collect();
    let values = if traces { CHECKPOINTS } else { ENDINGS };
    for column in IDENTITY.iter().chain(values).chain(GAUGES) {
        fill(&name, &frame, column, &mut rows)?;
    }
    for column in frame.get_column_names() {
        if let Some(measure) = column.strip_prefix(MEASURE) {
            let values = read::measure(&name, &frame, measure).map_err(CliError::failed)?;
            put_numbers(&mut rows, column, values);
        }
    }
    Ok(rows
        .into_iter()
        .map(|row| {
            let part = |field: &str| row.fields.get(field).cloned().unwrap_or_default();
            let key = ["experiment", "stream", "label", "horizon", "replicate"].map(part).join(" | ");
            let round = row.fields.get("t").map(|t| format!(" | round {t:>12}")).unwrap_or_default();
            (key + &round, row)
        })
        .collect())
}

fn fill(table: &str, frame: &DataFrame, column: &ResultColumn, rows: &mut [RunFields]) -> Result<(), CliError> {
    let failed = |error: read::TableReadError| CliError::failed(error);
    match column.kind {
        Type::Text => {
            for (row, value) in rows.iter_mut().zip(read::texts(table, frame, column).map_err(failed)?) {
                row.fields.extend(value.map(|value| (column.name.to_owned(), value)));
            }
        }
        Type::Count => {
            for (row, value) in rows.iter_mut().zip(read::counts(table, frame, column).map_err(failed)?) {
                row.fields.extend(value.map(|value| (column.name.to_owned(), value.to_string())));
                row.numbers.extend(value.map(|value| (column.name.to_owned(), value as f64)));
            }
        }
        Type::Number => {
            put_numbers(rows, column.name, read::numbers(table, frame, column).map_err(failed)?);
        }
    }
    Ok(())
}

fn put_numbers(rows: &mut [RunFields], name: &str, values: Vec<Option<f64>>) {
    for (row, value) in rows.iter_mut().zip(values) {
        row.fields.extend(value.map(|value| (name.to_owned(), value.to_string())));
        row.numbers.extend(value.map(|value| (name.to_owned(), value)));
    }
}

/// The fields that differ between two rows, as `name: a -> b`. Numbers within the tolerance are equal.
fn differences(a: &RunFields, b: &RunFields, tolerance: f64, ignored: &[&str]) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = a.fields.keys().chain(b.fields.keys()).collect();
    names
        .into_iter()
        .filter(|name| !ignored.contains(&name.as_str()))
        .filter_map(|name| {
            let equal = match (a.numbers.get(name), b.numbers.get(name)) {
                (Some(x), Some(y)) => x == y || (x - y).abs() <= tolerance * x.abs().max(y.abs()),
                _ => a.fields.get(name) == b.fields.get(name),
            };
            let show = |row: &RunFields| row.fields.get(name).cloned().unwrap_or_else(|| "nothing".into());
            (!equal).then(|| format!("{name}: {} -> {}", show(a), show(b)))
        })
        .collect()
}

fn one(a: &RunFields, b: &RunFields, args: &DiffArgs) -> (String, bool) {
    let lines = differences(a, b, args.tolerance, &["run_id", "key"]);
    let text = if lines.is_empty() { "no difference\n".into() } else { lines.join("\n") + "\n" };
    (text, !lines.is_empty())
}

/// Whether rows are rounds of traces.
fn is_trace(rows: &BTreeMap<String, RunFields>) -> bool {
    rows.values().next().is_some_and(|row| row.fields.contains_key("t"))
}

fn all(a: &BTreeMap<String, RunFields>, b: &BTreeMap<String, RunFields>, args: &DiffArgs) -> (String, bool) {
    let mut text = String::new();
    let (mut differing, mut alone) = (0, 0);
    for (key, row) in a {
        match b.get(key) {
            None => {
                alone += 1;
                text += &format!("only in {}: {key}\n", args.a);
            }
            Some(other) => {
                // Keys change with the code, and only values count here.
                let lines = differences(row, other, args.tolerance, &["run_id", "key", "config"]);
                if !lines.is_empty() {
                    differing += 1;
                    text += &format!("{key}\n  {}\n", lines.join("\n  "));
                }
            }
        }
    }
    for key in b.keys().filter(|key| !a.contains_key(*key)) {
        alone += 1;
        text += &format!("only in {}: {key}\n", args.b);
    }
    let (rows, others, tolerance) = (a.len(), b.len(), args.tolerance);
    let what = if is_trace(a) || is_trace(b) { "rounds of traces" } else { "runs" };
    let only = if alone > 0 { format!(", {alone} are on one side only") } else { String::new() };
    text += &format!(
        "{rows} {what} compared with {others}: {differing} differ by more than {tolerance:e} (relative){only}\n"
    );
    (text, differing + alone > 0)
}
