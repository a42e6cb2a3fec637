//! `noregret query`: filters, groups and sorts the result tables.

use std::io::Write;

use clap::{Args, ValueEnum};
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, NamedFrom, Series, SortMultipleOptions};

use super::error::CliError;
use crate::config::project::Project;
use crate::trace::read;
use noregret_core::params::check::nearest;

/// Arguments of `noregret query`.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// The table: runs (all experiments), runs/EXPERIMENT, traces/EXPERIMENT or timings
    #[arg(default_value = "runs")]
    table: String,
    /// Keep rows where COLUMN OP VALUE holds, OP being = != < <= > >= or ~ (glob); if repeated, all must hold
    #[arg(long = "where", short = 'w', value_name = "CONDITION")]
    conditions: Vec<String>,
    /// Columns to show, in this order, or `all` [default: the most important ones; CSV and JSON: all]
    #[arg(long, short = 'c', value_delimiter = ',')]
    columns: Vec<String>,
    /// Show one row per combination of these columns: the number of rows, and the mean of each numeric column
    #[arg(long, short = 'g', value_delimiter = ',', value_name = "COLUMNS")]
    group_by: Vec<String>,
    /// Sort by these columns; a leading - sorts in descending order
    #[arg(long, short = 's', value_delimiter = ',', allow_hyphen_values = true, value_name = "COLUMNS")]
    sort: Vec<String>,
    /// Show at most this many rows
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
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
pub fn run(project: &Project, args: &QueryArgs, out: &mut impl Write) -> Result<(), CliError> {
    let folder = if args.table == "timings" { project.results().join("log") } else { project.results() };
    let path = folder.join(format!("{}.parquet", args.table));
    let safe = args.table.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    if !safe || !path.is_file() {
        return Err(CliError::usage(format!(
            "there is no table `{}` ({} does not exist); run the pipeline first, or give runs, runs/EXPERIMENT, traces/EXPERIMENT or timings",
            args.table,
            path.display()
        )));
    }
    let bytes = std::fs::read(&path).map_err(|error| CliError::io("cannot read", &path, error))?;
    let name = path.display().to_string();
    let table = match args.table.split('/').next() {
        Some("timings") => read::times(&name, bytes),
        Some("traces") => read::traces(&name, bytes),
        _ => read::runs(&name, bytes),
    };
    let mut frame = table.map_err(|error| CliError::failed(error.to_string()))?;
    for condition in &args.conditions {
        frame = filter(&frame, condition)?;
    }
    if !args.group_by.is_empty() {
        frame = group(&frame, &args.group_by, &args.columns)?;
    } else if args.sort.is_empty() {
        let order = SortMultipleOptions::default().with_maintain_order(true);
        let names = ["experiment", "stream", "label", "horizon", "replicate", "t"];
        frame = frame.sort(names.into_iter().filter(|name| frame.column(name).is_ok()), order).map_err(polars)?;
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
        frame = frame.sort(names, options).map_err(polars)?;
    }
    if let Some(limit) = args.limit {
        frame = frame.head(Some(limit));
    }
    if args.group_by.is_empty() {
        let all = args.columns.iter().any(|column| column == "all");
        let columns: Vec<&str> = match args.columns.as_slice() {
            [] if args.format == Format::Table => SHORT.to_vec(),
            [] => Vec::new(),
            _ if all => Vec::new(),
            columns => columns.iter().map(String::as_str).collect(),
        };
        for column in &args.columns {
            if !all {
                find(&frame, column)?;
            }
        }
        let columns: Vec<&str> = columns.into_iter().filter(|name| frame.column(name).is_ok()).collect();
        if !columns.is_empty() {
            frame = frame.select(columns).map_err(polars)?;
        }
    }
    print(&frame, args.format, out).map_err(CliError::output)
}

fn polars(error: polars::error::PolarsError) -> CliError {
    CliError::failed(error.to_string())
}

fn find<'a>(frame: &'a DataFrame, name: &str) -> Result<&'a Column, CliError> {
    frame.column(name).map_err(|_| {
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
        let hint = nearest(name, names.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
        CliError::usage(format!("no column `{name}`{}; columns: {}", hint.unwrap_or_default(), names.join(", ")))
    })
}

/// The rows for which a condition holds. A missing value satisfies only `!=`.
fn filter(frame: &DataFrame, condition: &str) -> Result<DataFrame, CliError> {
    let (name, operator, value) = ["!=", "<=", ">=", "=", "<", ">", "~"]
        .iter()
        .filter_map(|operator| condition.split_once(operator).map(|(name, value)| (name, *operator, value)))
        .min_by_key(|(name, ..)| name.len())
        .ok_or_else(|| {
            CliError::usage(format!("condition `{condition}`: write COLUMN OP VALUE, as in learner=fogd"))
        })?;
    let (name, value) = (name.trim(), value.trim());
    let column = find(frame, name)?;
    let keep: Vec<bool> = if let Ok(texts) = column.str() {
        let pattern = if operator == "~" { value } else { "" };
        let glob = globset::Glob::new(pattern)
            .map_err(|error| CliError::usage(format!("condition `{condition}`: {error}")))?
            .compile_matcher();
        let holds = |text: &str| match operator {
            "=" => text == value,
            "!=" => text != value,
            "~" => glob.is_match(text),
            "<" => text < value,
            "<=" => text <= value,
            ">" => text > value,
            _ => text >= value,
        };
        texts.iter().map(|text| text.map_or(operator == "!=", holds)).collect()
    } else if operator == "~" {
        return Err(CliError::usage(format!("condition `{condition}`: `~` is for text, but `{name}` is numeric")));
    } else {
        let value: f64 = value.parse().map_err(|_| {
            CliError::usage(format!("condition `{condition}`: `{name}` is numeric, but `{value}` is not a number"))
        })?;
        let holds = |number: f64| match operator {
            "=" => number == value,
            "!=" => number != value,
            "<" => number < value,
            "<=" => number <= value,
            ">" => number > value,
            _ => number >= value,
        };
        let numbers = column.cast(&DataType::Float64).map_err(polars)?;
        let numbers = numbers.f64().map_err(polars)?;
        numbers.iter().map(|number| number.map_or(operator == "!=", holds)).collect()
    };
    frame.filter(&keep.into_iter().collect()).map_err(polars)
}

/// One row per combination of `by`, with the number of rows and the mean of every numeric column (or of `columns`).
fn group(frame: &DataFrame, by: &[String], columns: &[String]) -> Result<DataFrame, CliError> {
    for name in by.iter().chain(columns) {
        find(frame, name)?;
    }
    let averaged: Vec<&Column> = frame
        .columns()
        .iter()
        .filter(|column| {
            let name = column.name().as_str();
            column.dtype().is_primitive_numeric()
                && !by.iter().any(|key| key == name)
                && (columns.is_empty() || columns.iter().any(|wanted| wanted == name))
        })
        .collect();
    let groups = frame.group_by_stable(by.iter().map(String::as_str)).map_err(polars)?;
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
    for column in averaged {
        let numbers = column.cast(&DataType::Float64).map_err(polars)?;
        let numbers = numbers.f64().map_err(polars)?;
        let means: Vec<Option<f64>> = rows
            .iter()
            .map(|rows| {
                let values: Vec<f64> = rows.iter().filter_map(|&row| numbers.get(row as usize)).collect();
                (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
            })
            .collect();
        result.push(Series::new(column.name().clone(), means).into_column());
    }
    DataFrame::new(rows.len(), result).map_err(polars)
}

fn print(frame: &DataFrame, format: Format, out: &mut impl Write) -> std::io::Result<()> {
    let names: Vec<String> = frame.get_column_names().into_iter().map(|name| name.to_string()).collect();
    let cells: Vec<Vec<Option<serde_json::Value>>> = frame.columns().iter().map(values).collect();
    match format {
        Format::Json => {
            for row in 0..frame.height() {
                let object: serde_json::Map<String, serde_json::Value> = names
                    .iter()
                    .zip(&cells)
                    .map(|(name, column)| (name.clone(), column[row].clone().unwrap_or_default()))
                    .collect();
                writeln!(out, "{}", serde_json::Value::Object(object))?;
            }
        }
        Format::Csv => {
            let mut writer = csv::Writer::from_writer(out);
            writer.write_record(&names)?;
            for row in 0..frame.height() {
                writer.write_record(cells.iter().map(|column| show(&column[row])))?;
            }
            writer.flush()?;
        }
        Format::Table => {
            let text: Vec<Vec<String>> = cells.iter().map(|column| column.iter().map(show).collect()).collect();
            let widths: Vec<usize> = names
                .iter()
                .zip(&text)
                .map(|(name, column)| {
                    column.iter().map(|cell| cell.chars().count()).chain([name.len()]).max().unwrap_or(0)
                })
                .collect();
            let line = |cells: Vec<&str>| {
                let padded: Vec<String> =
                    cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
                padded.join("  ").trim_end().to_owned()
            };
            writeln!(out, "{}", line(names.iter().map(String::as_str).collect()))?;
            for row in 0..frame.height() {
                writeln!(out, "{}", line(text.iter().map(|column| column[row].as_str()).collect()))?;
            }
        }
    }
    Ok(())
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
