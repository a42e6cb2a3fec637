//! From a table and its results to files.

use std::path::PathBuf;

use crate::caption::sentence;
use crate::error::ReportError;
use crate::exhibit::{Body, Exhibit, ExhibitNeed};
use crate::markup::markdown;
use crate::table::api::{CheckedTable, Filled};
use crate::table::latex::latex;

/// Where code identity starts, beside the module of the kind.
pub const MODULE: &str = module_path!();

/// Renders what the kind of a table filled in: Markdown, CSV, LaTeX and description, with their paths relative to the
/// project root. `absent` are the names of the results that it lacks, `setup` is how its runs were configured.
pub fn render(
    table: &CheckedTable,
    profile: &str,
    mut filled: Filled,
    absent: &[String],
    setup: &[(String, String)],
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let spec = &table.spec;
    let run = match table.needs(ExhibitNeed::Errata) {
        true => "Every item is computed anew, with fixed draws, in every profile.".to_owned(),
        false => format!("Profile {profile}."),
    };
    let mut caption = vec![format!("{} {run}", sentence(&spec.shows))];
    caption.append(&mut filled.caption);
    if !absent.is_empty() {
        caption.push(format!("Without results, hence left out: {}.", absent.join(", ")));
    }
    let grid = filled.grid.clone();
    let exhibit = Exhibit {
        name: spec.name.clone(),
        paper: spec.paper,
        section: spec.section.clone(),
        finding: None,
        title: spec.title.clone(),
        caption,
        measured: table.kind.measured,
        place: spec.place,
        claims: Vec::new(),
        setup: setup.to_vec(),
        panels: Vec::new(),
        body: Body::Table(filled.grid),
    };
    let caption: Vec<String> = exhibit.caption.iter().map(|paragraph| markdown(paragraph)).collect();
    let page = format!("# {}\n\n{}\n{}\n", markdown(&exhibit.title), grid.markdown(), caption.join("\n\n"));
    let csv = grid.csv().map_err(|error| ReportError::Exhibit { name: spec.name.clone(), cause: error.to_string() })?;
    let shows = exhibit.caption.first().map_or("", String::as_str);
    let latex = latex(&grid, &exhibit.title, shows, &spec.name);
    Ok(vec![
        (exhibit.path("md"), page.into_bytes()),
        (exhibit.path("csv"), csv),
        (exhibit.path("tex"), latex.into_bytes()),
        (exhibit.path("json"), exhibit.to_json()?),
    ])
}
