//! From a table and its results to files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::analysis::record::Experiment;
use crate::report::caption::{Context, sentence};
use crate::report::error::ReportError;
use crate::report::exhibit::{Body, Exhibit};
use crate::report::table::api::Table;

/// The source files that make a table, for code identity.
pub fn source_files(table: &Table) -> [&'static str; 2] {
    [table.kind.file, file!()]
}

/// Renders a table: Markdown, CSV, LaTeX and description, with their paths relative to the project root. Experiments
/// that the specification names and `experiments` lacks are named in the caption.
pub fn render(
    table: &Table,
    experiments: &BTreeMap<String, Experiment>,
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let spec = &table.spec;
    let shown: Vec<&Experiment> = spec.experiments.iter().filter_map(|name| experiments.get(name)).collect();
    let mut filled = (table.kind.fill)(&shown);
    let mut caption = vec![format!("{} Profile {}.", sentence(&spec.shows), context.profile)];
    caption.append(&mut filled.caption);
    let absent: Vec<&str> =
        spec.experiments.iter().filter(|name| !experiments.contains_key(*name)).map(String::as_str).collect();
    if !absent.is_empty() {
        caption.push(format!("Without results, hence left out: {}.", absent.join(", ")));
    }
    let grid = filled.grid.clone();
    let exhibit = Exhibit {
        name: spec.name.clone(),
        section: spec.section,
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
