//! `noregret query`: filters, groups and sorts the result tables.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, NamedFrom, Series, SortMultipleOptions};

use super::error::CliError;
use super::{complete, tables};
use noregret_core::params::check::nearest;
use noregret_engine::exec::progress::tell;
use noregret_report::analysis::summary::{MeanEstimate, estimate};
use noregret_stream::value::whole;
use noregret_study::config::did_you_mean;
use noregret_study::config::project::Project;
use noregret_study::lines::aligned;

/// Arguments of `noregret query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The table: runs (all experiments), runs/EXPERIMENT, traces/EXPERIMENT or timings
    #[arg(default_value = "runs", add = ArgValueCandidates::new(complete::tables))]
    table: String,
    /// The table of a variant rather than the project's: the name of its folder in variants/
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::variants))]
    variant: Option<String>,
    /// Keep rows where COLUMN OP VALUE holds, OP being = != < <= > >= or ~ (glob); if repeated, all must hold
    #[arg(long = "where", short = 'w', value_name = "CONDITION")]
    conditions: Vec<String>,
    /// Columns to show, in this order, or `all` [default: the most important ones; CSV and JSON: all]
    #[arg(long, short = 'c', value_delimiter = ',')]
    columns: Vec<String>,
    /// Show one row per combination of these columns: the number of rows, and for each numeric column its mean and, as
    /// COLUMN_ci95, half the width of the mean's Student interval at 95 %
    #[arg(long, short = 'g', value_delimiter = ',', value_name = "COLUMNS")]
    group_by: Vec<String>,
    /// Sort by these columns; a leading - sorts in descending order
    #[arg(long, short = 's', value_delimiter = ',', allow_hyphen_values = true, value_name = "COLUMNS")]
    sort: Vec<String>,
    /// Show at most this many rows
    #[arg(long, short = 'n', value_name = "N", value_parser = whole::<usize>)]
    limit: Option<usize>,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: QueryFormat,
    /// Print one JSON object per line, as `--format json` does
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum QueryFormat {
    /// Aligned columns.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line.
    Json,
}

/// The columns that a table on the terminal shows by default.
const SHORT: &[&str] = &[
    "run_id",
    "experiment",
    "stream",
    "label",
    "horizon",
    "replicate",
    "t",
    "status",
    "average_loss",
    "cumulative_loss",
    "cumulative_error",
    "comparator_loss",
    "cpu_ns",
    "wall_ns",
];

/// Runs the query and prints its rows.
pub(crate) fn run(project: &Project, args: &QueryArgs, out: &mut impl Write) -> Result<(), CliError> {
    let format = if args.json { QueryFormat::Json } else { args.format };
    let mut frame = tables::rows(project, args.variant.as_deref(), &args.table)?;
    for condition in &args.conditions {
        let kept = filter(&frame, condition)?;
        if kept.height() == 0 && frame.height() > 0 {
            tell(&nothing(&frame, condition)?);
        }
        frame = kept;
    }
    let columns: Vec<&str> = match args.columns.as_slice() {
        [] if format == QueryFormat::Table => SHORT.iter().copied().filter(|name| frame.column(name).is_ok()).collect(),
        columns if columns.iter().any(|column| column == "all") => Vec::new(),
        columns => columns.iter().map(String::as_str).collect(),
    };
    if !args.group_by.is_empty() {
        for name in args.columns.iter().filter(|name| !args.group_by.contains(name)) {
            // Others may be those that grouping makes.
            if frame.column(name).is_ok_and(|column| !column.dtype().is_primitive_numeric()) {
                let why = format!("`{name}` has words, of which there is no mean; add it to -g to see them");
                return Err(CliError::usage(why));
            }
        }
        unfinished(&frame, &args.group_by).iter().for_each(|note| tell(note));
        frame = group(&frame, &args.group_by, &columns)?;
    } else if args.sort.is_empty() {
        let order = SortMultipleOptions::default().with_maintain_order(true);
        let names = ["experiment", "stream", "label", "horizon", "replicate", "t"];
        frame =
            frame.sort(names.into_iter().filter(|name| frame.column(name).is_ok()), order).map_err(CliError::failed)?;
    }
    if !args.sort.is_empty() {
        let (names, down): (Vec<&str>, Vec<bool>) = args
            .sort
            .iter()
            .map(|name| name.strip_prefix('-').map_or((name.as_str(), false), |name| (name, true)))
            .unzip();
        for name in &names {
            find(&frame, name)?;
        }
        let options = SortMultipleOptions::default().with_order_descending_multi(down).with_maintain_order(true);
        frame = frame.sort(names, options).map_err(CliError::failed)?;
    }
    if let Some(limit) = args.limit {
        frame = frame.head(Some(limit));
    }
    if args.group_by.is_empty() && !columns.is_empty() {
        for (i, column) in columns.iter().enumerate() {
            find(&frame, column)?;
            if columns[..i].contains(column) {
                return Err(CliError::usage(format!("-c: {column} is named twice")));
            }
        }
        frame = frame.select(columns).map_err(CliError::failed)?;
    }
    print(&frame, format, out).map_err(CliError::output)
}

fn find<'a>(frame: &'a DataFrame, name: &str) -> Result<&'a Column, CliError> {
    frame.column(name).map_err(|_| {
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        CliError::usage(format!("no column `{name}`{hint}; columns: {}", names.join(", ")))
    })
}

/// The parts of a condition: column, operator, value.
fn parts(condition: &str) -> Result<(&str, &str, &str), CliError> {
    let (name, operator, value) = ["!=", "<=", ">=", "=", "<", ">", "~"]
        .iter()
        .filter_map(|operator| condition.split_once(operator).map(|(name, value)| (name, *operator, value)))
        .min_by_key(|(name, ..)| name.len())
        .ok_or_else(|| {
            CliError::usage(format!("condition `{condition}`: write COLUMN OP VALUE, as in learner=fogd"))
        })?;
    Ok((name.trim(), operator, value.trim()))
}

/// How many values a message names.
const SHOWN: usize = 12;

/// What to say where no row satisfies a condition: which values there are.
fn nothing(frame: &DataFrame, condition: &str) -> Result<String, CliError> {
    let (name, _, value) = parts(condition)?;
    let column = find(frame, name)?;
    let known: BTreeSet<String> = values(column).iter().flatten().map(|one| show(&Some(one.clone()))).collect();
    let near = nearest(value, known.iter().map(String::as_str)).filter(|near| near != value);
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let more = if known.len() > SHOWN { ", ..." } else { "" };
    let shown: Vec<&str> = known.iter().take(SHOWN).map(String::as_str).collect();
    let shown = if shown.is_empty() { "no value".to_owned() } else { shown.join(", ") };
    Ok(format!("no row has {condition}{hint} (`{name}` has {shown}{more})\n"))
}

/// Whether two values compare as a condition says.
fn holds<T: PartialOrd + ?Sized>(one: &T, operator: &str, other: &T) -> bool {
    match operator {
        "=" => one == other,
        "!=" => one != other,
        "<" => one < other,
        "<=" => one <= other,
        ">" => one > other,
        _ => one >= other,
    }
}

/// The rows for which a condition holds. A missing value satisfies only `!=`.
fn filter(frame: &DataFrame, condition: &str) -> Result<DataFrame, CliError> {
    let (name, operator, value) = parts(condition)?;
    let column = find(frame, name)?;
    let keep: Vec<bool> = if let Ok(texts) = column.str() {
        let pattern = if operator == "~" { value } else { "" };
        let glob = globset::Glob::new(pattern)
            .map_err(|error| CliError::usage(format!("condition `{condition}`: {error}")))?
            .compile_matcher();
        let holds = |text: &str| if operator == "~" { glob.is_match(text) } else { holds(text, operator, value) };
        texts.iter().map(|text| text.map_or(operator == "!=", holds)).collect()
    } else if operator == "~" {
        return Err(CliError::usage(format!("condition `{condition}`: `~` is for text, but `{name}` is numeric")));
    } else {
        let value: f64 = value.parse().map_err(|_| {
            CliError::usage(format!("condition `{condition}`: `{name}` is numeric, but `{value}` is not a number"))
        })?;
        let numbers = column.cast(&DataType::Float64).map_err(CliError::failed)?;
        let numbers = numbers.f64().map_err(CliError::failed)?;
        numbers
            .iter()
            .map(|number| number.map_or(operator == "!=", |number| holds(&number, operator, &value)))
            .collect()
    };
    frame.filter(&keep.into_iter().collect()).map_err(CliError::failed)
}

/// What is to be said of runs that ended early where groups may mix them with others.
fn unfinished(frame: &DataFrame, by: &[String]) -> Option<String> {
    let status = frame.column("status").ok().filter(|_| !by.iter().any(|key| key == "status"))?.str().ok()?;
    let early = status.iter().flatten().filter(|status| *status != "done").count();
    (early > 0).then(|| {
        format!(
            "{early} of {} rows are of runs that ended early; what they say is of the rounds until then. `-w status=done` leaves \
             them out, `-g ...,status` parts them\n",
            frame.height()
        )
    })
}

/// Of runs on rows in the order of a file, what makes two of them one run played twice where they are equal.
fn in_file_order(frame: &DataFrame) -> Vec<Option<String>> {
    let Ok(Ok(order)) = frame.column("p_stream_order").map(|column| column.str()) else { return Vec::new() };
    let known = ["experiment", "stream", "label", "horizon"].into_iter().filter_map(|name| frame.column(name).ok());
    let known: Vec<Vec<Option<serde_json::Value>>> = known.map(values).collect();
    let key = |row: usize| known.iter().map(|column| show(&column[row])).collect::<Vec<_>>().join("\n");
    order.iter().enumerate().map(|(row, order)| (order == Some("file")).then(|| key(row))).collect()
}

/// The values of some rows; one of each run that was played several times.
fn distinct(rows: &[u32], in_order: &[Option<String>], value: impl Fn(usize) -> Option<f64>) -> Vec<f64> {
    let (mut found, mut repeated) = (Vec::new(), BTreeMap::<&str, Vec<f64>>::new());
    for row in rows.iter().map(|row| *row as usize) {
        match (value(row), in_order.get(row).and_then(Option::as_deref)) {
            (Some(value), Some(key)) => repeated.entry(key).or_default().push(value),
            (Some(value), None) => found.push(value),
            (None, _) => {}
        }
    }
    for mut values in repeated.into_values() {
        if values.iter().all(|value| *value == values[0]) {
            values.truncate(1);
        }
        found.append(&mut values);
    }
    found
}

/// One row per combination of `by`, with the number of rows, and the mean of every numeric column (or of those in
/// `columns`) with half the width of its interval. A run that stands there several times, on rows in the order of a file, counts once in both.
fn group(frame: &DataFrame, by: &[String], columns: &[&str]) -> Result<DataFrame, CliError> {
    // Those that grouping makes may be named, too.
    let columns: Vec<&str> = columns.iter().map(|name| name.strip_suffix("_ci95").unwrap_or(name)).collect();
    for name in by.iter().map(String::as_str).chain(columns.iter().copied().filter(|name| *name != "count")) {
        find(frame, name)?;
    }
    let averaged: Vec<&Column> = frame
        .columns()
        .iter()
        .filter(|column| {
            let name = column.name().as_str();
            column.dtype().is_primitive_numeric()
                && !by.iter().any(|key| key == name)
                && (columns.is_empty() || columns.contains(&name))
        })
        .collect();
    let groups = frame.group_by_stable(by.iter().map(String::as_str)).map_err(CliError::failed)?;
    let mut result = groups.keys();
    let rows: Vec<Vec<u32>> = groups
        .get_groups()
        .iter()
        .map(|group| match group {
            polars::prelude::GroupsIndicator::Idx((_, rows)) => rows.to_vec(),
            polars::prelude::GroupsIndicator::Slice([first, length]) => (first..first + length).collect(),
        })
        .collect();
    let counts: Vec<u64> = rows.iter().map(|rows| rows.len() as u64).collect();
    result.push(Series::new("count".into(), counts).into_column());
    let in_order = in_file_order(frame);
    for column in averaged {
        let numbers = column.cast(&DataType::Float64).map_err(CliError::failed)?;
        let numbers = numbers.f64().map_err(CliError::failed)?;
        let estimate = |rows: &Vec<u32>| estimate(&distinct(rows, &in_order, |row| numbers.get(row)));
        let estimates: Vec<Option<MeanEstimate>> = rows.iter().map(estimate).collect();
        let means: Vec<Option<f64>> = estimates.iter().map(|one| one.map(|one| one.mean)).collect();
        let half: Vec<Option<f64>> = estimates.iter().map(|one| one.and_then(|one| one.half_width)).collect();
        result.push(Series::new(column.name().clone(), means).into_column());
        result.push(Series::new(format!("{}_ci95", column.name()).into(), half).into_column());
    }
    DataFrame::new(rows.len(), result).map_err(CliError::failed)
}

fn print(frame: &DataFrame, format: QueryFormat, out: &mut impl Write) -> std::io::Result<()> {
    // Standard output would look for the end of the line in every piece.
    let out = &mut BufWriter::new(out);
    let names: Vec<String> = frame.get_column_names().into_iter().map(|name| name.to_string()).collect();
    let cells: Vec<Vec<Option<serde_json::Value>>> = frame.columns().iter().map(values).collect();
    match format {
        QueryFormat::Json => {
            for row in 0..frame.height() {
                let object: serde_json::Map<String, serde_json::Value> = names
                    .iter()
                    .zip(&cells)
                    .map(|(name, column)| (name.clone(), column[row].clone().unwrap_or_default()))
                    .collect();
                writeln!(out, "{}", serde_json::Value::Object(object))?;
            }
        }
        QueryFormat::Csv => {
            let line = |cells: Vec<String>| -> std::io::Result<Vec<u8>> {
                let mut writer = csv::Writer::from_writer(Vec::new());
                writer.write_record(&cells)?;
                writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
            };
            out.write_all(&line(names)?)?;
            for row in 0..frame.height() {
                out.write_all(&line(cells.iter().map(|column| show(&column[row])).collect())?)?;
            }
        }
        QueryFormat::Table => {
            let row = |row: usize| cells.iter().map(|column| show(&column[row])).collect();
            let lines: Vec<Vec<String>> = std::iter::once(names).chain((0..frame.height()).map(row)).collect();
            out.write_all(aligned(&lines).as_bytes())?;
        }
    }
    out.flush()
}

fn show(value: &Option<serde_json::Value>) -> String {
    match value {
        None => String::new(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn values(column: &Column) -> Vec<Option<serde_json::Value>> {
    use serde_json::json;
    if let Ok(texts) = column.str() {
        texts.iter().map(|value| value.map(|text| json!(text))).collect()
    } else if let Ok(counts) = column.u64() {
        counts.iter().map(|value| value.map(|count| json!(count))).collect()
    } else if let Ok(numbers) = column.f64() {
        numbers.iter().map(|value| value.map(|number| json!(number))).collect()
    } else {
        let texts = column.cast(&DataType::String);
        match texts.as_ref().map(|texts| texts.str()) {
            Ok(Ok(texts)) => texts.iter().map(|value| value.map(|text| json!(text))).collect(),
            _ => vec![None; column.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows in the order of their file are one run several times; equal by chance, they have the interval 0.
    #[test]
    fn one_run_several_times_counts_once() {
        let of = |labels: [&str; 4], orders: [&str; 4], losses: [f64; 4]| {
            let columns = vec![
                Series::new("stream".into(), ["s"; 4]).into_column(),
                Series::new("label".into(), labels).into_column(),
                Series::new("p_stream_order".into(), orders).into_column(),
                Series::new("average_loss".into(), losses).into_column(),
            ];
            let frame = DataFrame::new(4, columns).unwrap();
            let grouped = group(&frame, &["stream".into()], &["average_loss"]).unwrap();
            let number = |name: &str| grouped.column(name).unwrap().f64().unwrap().get(0);
            (number("average_loss"), number("average_loss_ci95"))
        };
        let (file, shuffled) = (["file"; 4], ["shuffle"; 4]);
        assert_eq!(of(["a"; 4], file, [1.0; 4]), (Some(1.0), None));
        assert_eq!(of(["a"; 4], shuffled, [1.0; 4]), (Some(1.0), Some(0.0)));
        // Of two learners, one draws: the values are 1, 1, 2.
        let two = of(["a", "a", "b", "b"], file, [1.0, 1.0, 1.0, 2.0]);
        assert!((two.0.unwrap() - 4.0 / 3.0).abs() < 1e-12);
        // 4.302653 standard errors of 1/3.
        assert!((two.1.unwrap() - 4.302_652_729_911_275 / 3.0).abs() < 1e-9, "{two:?}");
    }
}
