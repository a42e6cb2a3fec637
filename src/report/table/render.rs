//! From a table and its results to files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::Experiment;
use crate::analysis::tuned::Tuned;
use crate::report::caption::{Context, sentence};
use crate::report::error::ReportError;
use crate::report::exhibit::{Body, Exhibit};
use crate::report::table::api::{Fill, Filled, Table};
use noregret_core::errata::api::Finding;

/// Where code identity starts, beside the module of the kind.
pub const MODULE: &str = module_path!();

/// Renders a table of runs: Markdown, CSV, LaTeX and description, with their paths relative to the project root.
/// Experiments that the specification names and `experiments` lacks are named in the caption.
pub fn render(
    table: &Table,
    experiments: &BTreeMap<String, Experiment>,
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let spec = &table.spec;
    let Fill::Runs(fill) = table.kind.fill else { return Err(other(table)) };
    let shown: Vec<&Experiment> = spec.experiments.iter().filter_map(|name| experiments.get(name)).collect();
    let absent: Vec<&str> =
        spec.experiments.iter().filter(|name| !experiments.contains_key(*name)).map(String::as_str).collect();
    publish(table, &format!("Profile {}.", context.profile), fill(&shown), &absent)
}

/// Renders a table of errata, likewise; `absent` names the ones that left no finding.
pub fn render_errata(
    table: &Table,
    findings: &[Finding],
    absent: &[String],
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let Fill::Errata(fill) = table.kind.fill else { return Err(other(table)) };
    let absent: Vec<&str> = absent.iter().map(String::as_str).collect();
    publish(table, "Every item is computed anew, with fixed draws, in every profile.", fill(findings), &absent)
}

/// Renders a table of rates, likewise; `absent` names the rows that left no assessment.
pub fn render_rates(
    table: &Table,
    rows: &[Assessment],
    absent: &[String],
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let Fill::Rates(fill) = table.kind.fill else { return Err(other(table)) };
    let absent: Vec<&str> = absent.iter().map(String::as_str).collect();
    publish(table, &format!("Profile {}.", context.profile), fill(rows), &absent)
}

/// Renders a table of choices among settings, likewise; `absent` names the curves without a choice.
pub fn render_tuning(
    table: &Table,
    choices: &[Tuned],
    absent: &[String],
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let Fill::Tuning(fill) = table.kind.fill else { return Err(other(table)) };
    let absent: Vec<&str> = absent.iter().map(String::as_str).collect();
    publish(table, &format!("Profile {}.", context.profile), fill(choices), &absent)
}

fn other(table: &Table) -> ReportError {
    let cause = format!("a table of kind `{}` is made from other results", table.kind.name);
    ReportError::Exhibit { name: table.spec.name.clone(), cause }
}

fn publish(
    table: &Table,
    run: &str,
    mut filled: Filled,
    absent: &[&str],
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let spec = &table.spec;
    let mut caption = vec![format!("{} {run}", sentence(&spec.shows))];
    caption.append(&mut filled.caption);
    if !absent.is_empty() {
        caption.push(format!("Without results, hence left out: {}.", absent.join(", ")));
    }
    let grid = filled.grid.clone();
    let exhibit = Exhibit {
        name: spec.name.clone(),
        paper: spec.paper,
        title: spec.title.clone(),
        caption,
        measured: table.kind.measured,
        body: Body::Table(filled.grid),
    };
    let markdown = format!("# {}\n\n{}\n{}\n", exhibit.title, grid.markdown(), exhibit.caption.join("\n\n"));
    let csv = grid.csv().map_err(|cause| ReportError::Exhibit { name: spec.name.clone(), cause })?;
    let latex = grid.latex(&exhibit.title, &exhibit.caption.join(" "), &spec.name);
    Ok(vec![
        (exhibit.path("md"), markdown.into_bytes()),
        (exhibit.path("csv"), csv),
        (exhibit.path("tex"), latex.into_bytes()),
        (exhibit.path("json"), exhibit.to_json()?),
    ])
}
