//! The report: `report.md`, and `index.html`, a single file that opens without a network. Both show every exhibit, what
//! is missing and why, and where the results come from.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::report::error::ReportError;
use crate::report::exhibit::{Body, Shown};
use crate::report::markup;
use crate::report::number::{duration, grouped};
use crate::report::table::format::{Cell, CellKind, Grid, Heading};
use noregret_core::paper::Paper;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// The parts of the pages that are not Rust source. They belong to the code identity of the report.
pub const TEMPLATES: [(&str, &str); 4] = [
    ("index.html", include_str!("templates/index.html")),
    ("page.css", include_str!("templates/page.css")),
    ("page.js", include_str!("templates/page.js")),
    ("report.md", include_str!("templates/report.md")),
];

/// Everything that the report shows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Figures and tables, in any order.
    pub exhibits: Vec<Shown>,
    /// What could not be made.
    pub missing: Vec<Missing>,
    /// Where the results come from.
    pub provenance: Provenance,
}

/// Something that could not be made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Missing {
    /// The stage.
    pub stage: String,
    /// Why.
    pub reason: String,
    /// What the reader can do about it.
    pub remedy: String,
}

/// Where the results come from and what they cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// The commit of the source; empty if unknown.
    pub commit: String,
    /// Whether the source differs from that commit.
    pub modified: bool,
    /// The profile.
    pub profile: String,
    /// Names of programs and their versions.
    pub versions: Vec<(String, String)>,
    /// Properties of the machine: processor, cores, memory, system.
    pub machine: Vec<(String, String)>,
    /// Number of cells behind the results.
    pub cells: u64,
    /// Number of these cells that failed or diverged.
    pub unfinished_cells: u64,
    /// Processor time of all cells when they were made, in seconds.
    pub cpu_seconds: f64,
}

impl Provenance {
    fn facts(&self) -> Vec<(String, String)> {
        let commit = match (self.commit.as_str(), self.modified) {
            ("", _) => "unknown".to_owned(),
            (commit, true) => format!("{commit}, with uncommitted changes"),
            (commit, false) => commit.to_owned(),
        };
        let mut facts = vec![("Commit".to_owned(), commit), ("Profile".to_owned(), self.profile.clone())];
        facts.extend(self.versions.iter().cloned());
        facts.extend(self.machine.iter().cloned());
        let unfinished = match self.unfinished_cells {
            0 => String::new(),
            count => format!(", {} of them diverged or failed", grouped(count)),
        };
        facts.push(("Runs".into(), format!("{}{unfinished}", grouped(self.cells))));
        facts.push(("Processor time of all runs".into(), duration(self.cpu_seconds)));
        facts
    }
}

/// The input of the templates.
#[derive(Serialize)]
struct Page<'a> {
    sections: Vec<SectionView>,
    missing: &'a [Missing],
    facts: Vec<(String, String)>,
    profile: &'a str,
}

/// An exhibit for the templates.
#[derive(Serialize)]
struct View {
    id: String,
    kind: &'static str,
    stage: String,
    title: String,
    caption: Vec<String>,
    measured: bool,
    svg: Option<String>,
    /// Path of the PNG or CSV relative to the page.
    file: String,
    picture: String,
    markdown: String,
    columns: Vec<ColumnView>,
    rows: Vec<Vec<CellView>>,
}

#[derive(Serialize)]
struct ColumnView {
    title: String,
    numeric: bool,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    sort: Option<f64>,
    numeric: bool,
    prose: bool,
    best: bool,
}

#[derive(Serialize)]
struct SectionView {
    heading: String,
    citation: Option<&'static str>,
    id: String,
    exhibits: Vec<View>,
}

/// The page `reports/index.html`.
pub fn html(report: &Report) -> Result<String, ReportError> {
    render("index.html", report)
}

/// The page `reports/report.md`.
pub fn markdown(report: &Report) -> Result<String, ReportError> {
    render("report.md", report)
}

fn render(template: &str, report: &Report) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|name| match name {
        "index.html" => AutoEscape::Html,
        _ => AutoEscape::None,
    });
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    environment.add_filter("markdown", |text: String| markup::markdown(&text));
    environment.add_filter("description", |text: String| markup::description(&text));
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    let page = Page {
        sections: sections(report),
        missing: &report.missing,
        facts: report.provenance.facts(),
        profile: &report.provenance.profile,
    };
    Ok(environment.get_template(template)?.render(Serde(page))?)
}

/// The project's own sections by heading, then one for each paper, then what belongs to neither.
fn sections(report: &Report) -> Vec<SectionView> {
    let mut own: Vec<&String> = report.exhibits.iter().filter_map(|one| one.exhibit.section.as_ref()).collect();
    own.sort();
    own.dedup();
    let papers = report.exhibits.iter().any(|one| one.exhibit.paper.is_some());
    let rest = if papers { "Across the papers" } else { "Results" };
    let mut parts: Vec<(&str, Option<Paper>, Option<&String>)> =
        own.into_iter().map(|heading| (heading.as_str(), None, Some(heading))).collect();
    parts.extend(Paper::ALL.map(|paper| (paper.title(), Some(paper), None)));
    parts.push((rest, None, None));
    let mut sections = Vec::new();
    for (heading, paper, own) in parts {
        let here = |one: &&Shown| one.exhibit.paper == paper && one.exhibit.section.as_ref() == own;
        let mut shown: Vec<&Shown> = report.exhibits.iter().filter(here).collect();
        shown.sort_by_key(|one| (matches!(one.exhibit.body, Body::Table(_)), one.exhibit.name.clone()));
        if !shown.is_empty() {
            sections.push(SectionView {
                heading: heading.to_owned(),
                citation: paper.map(Paper::citation),
                id: format!("section-{}", sections.len() + 1),
                exhibits: shown.into_iter().map(view).collect(),
            });
        }
    }
    sections
}

fn view(shown: &Shown) -> View {
    let exhibit = &shown.exhibit;
    let (kind, extension, grid) = match &exhibit.body {
        Body::Figure => ("figure", "png", None),
        Body::Table(grid) => ("table", "csv", Some(grid)),
    };
    let (columns, rows) = grid.map(table_view).unwrap_or_default();
    View {
        id: format!("{kind}-{}", exhibit.name),
        kind,
        stage: format!("{kind}/{}", exhibit.name),
        title: exhibit.title.clone(),
        caption: exhibit.caption.clone(),
        measured: exhibit.measured,
        svg: shown.svg.clone(),
        file: format!("{}/{}.{extension}", exhibit.folder(), exhibit.name),
        picture: format!("{}/{}.svg", exhibit.folder(), exhibit.name),
        markdown: grid.map(Grid::markdown).unwrap_or_default(),
        columns,
        rows,
    }
}

fn table_view(grid: &Grid) -> (Vec<ColumnView>, Vec<Vec<CellView>>) {
    let numeric = |kind: CellKind| !matches!(kind, CellKind::Text | CellKind::Prose);
    let columns =
        grid.columns.iter().map(|column| ColumnView { title: column.title.clone(), numeric: numeric(column.kind) });
    let cell = |(column, cell): (&Heading, &Cell)| CellView {
        text: cell.text(),
        // Values that are not finite are sorted like empty cells.
        sort: cell.number().filter(|value| value.is_finite()),
        numeric: numeric(column.kind),
        prose: column.kind == CellKind::Prose,
        best: cell.best(),
    };
    let rows = grid.rows.iter().map(|cells| grid.columns.iter().zip(cells).map(cell).collect());
    (columns.collect(), rows.collect())
}
