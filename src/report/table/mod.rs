//! Tables: a specification file in `pipeline/tables/` names a kind; each kind is one file here and one row of
//! [`KINDS`].

pub mod format;
mod leaderboard;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::analysis::record::Experiment;
use crate::report::ReportError;
use crate::report::caption::sentence;
use crate::report::exhibit::{Body, Exhibit, Section, folder};
use crate::report::figure::Context;
use crate::report::table::format::Grid;

/// A kind of table.
pub struct Kind {
    /// Its name in specification files.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// Its source file (`file!()`), for code identity.
    pub file: &'static str,
    /// Whether it shows measured times: it then needs them, and its bytes differ from run to run.
    pub measured: bool,
    /// Turns results into a grid and the paragraphs of its caption.
    pub fill: fn(&[&Experiment]) -> Filled,
}

/// Every kind of table.
pub static KINDS: &[&Kind] = &[&leaderboard::KIND, &leaderboard::TIMES];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// A table as its file in `pipeline/tables/` declares it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Name of the table: the stem of its file.
    #[serde(skip)]
    pub name: String,
    /// One of [`KINDS`].
    pub kind: String,
    /// Where it stands in the report.
    pub section: Section,
    /// The experiments it draws on, in the order of their rows.
    pub experiments: Vec<String>,
    /// Its title.
    pub title: String,
    /// What it shows: the first sentence of the caption.
    pub shows: String,
}

impl TableSpec {
    /// Reads and checks the file `pipeline/tables/<name>.toml`.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, ReportError> {
        let wrong = |cause: String| ReportError::Specification { file: format!("pipeline/tables/{name}.toml"), cause };
        let mut spec: TableSpec =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        spec.name = name.to_owned();
        if find(&spec.kind).is_none() {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            return Err(wrong(format!("unknown kind `{}`; known kinds: {}", spec.kind, known.join(", "))));
        }
        Ok(spec)
    }

    /// Whether it shows measured times, and so needs them and does not repeat byte for byte.
    pub fn measured(&self) -> bool {
        find(&self.kind).is_some_and(|kind| kind.measured)
    }

    /// The source file of its kind, for code identity.
    pub fn source_file(&self) -> Option<&'static str> {
        find(&self.kind).map(|kind| kind.file)
    }

    /// The files it publishes, relative to the project root: Markdown, CSV, LaTeX, description.
    pub fn outputs(&self) -> Vec<PathBuf> {
        let folder = PathBuf::from("reports").join(folder(false, self.measured()));
        ["md", "csv", "tex", "json"].map(|extension| folder.join(format!("{}.{extension}", self.name))).to_vec()
    }
}

/// A grid with the paragraphs of its caption that come from the data.
pub struct Filled {
    /// The cells.
    pub grid: Grid,
    /// Paragraphs.
    pub caption: Vec<String>,
}

/// Renders a table: Markdown, CSV, LaTeX and description, with their paths relative to the project root.
/// Experiments that the specification names and `experiments` lacks are named in the caption.
pub fn render(
    spec: &TableSpec,
    experiments: &BTreeMap<String, Experiment>,
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let kind = find(&spec.kind).ok_or_else(|| ReportError::Specification {
        file: format!("pipeline/tables/{}.toml", spec.name),
        cause: format!("unknown kind `{}`", spec.kind),
    })?;
    let shown: Vec<&Experiment> = spec.experiments.iter().filter_map(|name| experiments.get(name)).collect();
    let mut filled = (kind.fill)(&shown);
    let mut caption = vec![format!("{} Profile {}.", sentence(&spec.shows), context.profile)];
    caption.append(&mut filled.caption);
    let absent: Vec<&str> =
        spec.experiments.iter().filter(|name| !experiments.contains_key(*name)).map(String::as_str).collect();
    if !absent.is_empty() {
        caption.push(format!("Without results, hence left out: {}.", absent.join(", ")));
    }
    let exhibit = Exhibit {
        name: spec.name.clone(),
        section: spec.section,
        title: spec.title.clone(),
        caption,
        measured: kind.measured,
        body: Body::Table(filled.grid.clone()),
    };
    let grid = &filled.grid;
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
