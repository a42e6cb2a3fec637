//! Figures: a specification file in `pipeline/figures/` names a kind; each kind is one file here and one row of
//! [`KINDS`].

mod average_loss;
mod curves;
mod regret;
mod time;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::analysis::record::Experiment;
use crate::report::ReportError;
use crate::report::caption::{Claim, sentence};
use crate::report::chart::layout::{Chart, scene};
use crate::report::chart::{png, svg};
use crate::report::exhibit::{Body, Exhibit, Section, folder};

/// A kind of figure.
pub struct Kind {
    /// Its name in specification files.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// Its source file (`file!()`), for code identity.
    pub file: &'static str,
    /// Whether it shows measured times: it then needs them, and its bytes differ from run to run.
    pub measured: bool,
    /// Whether its options are all known and in range.
    pub check: fn(&FigureSpec) -> Result<(), ReportError>,
    /// Turns results into a chart and the paragraphs of its caption.
    pub draw: fn(&FigureSpec, &[&Experiment], &Context) -> Result<Drawn, ReportError>,
}

/// Every kind of figure.
pub static KINDS: &[&Kind] = &[&average_loss::KIND, &time::KIND, &regret::KIND];

/// The kind of that name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// A figure as its file in `pipeline/figures/` declares it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Name of the figure: the stem of its file.
    #[serde(skip)]
    pub name: String,
    /// One of [`KINDS`].
    pub kind: String,
    /// Where it stands in the report.
    pub section: Section,
    /// The experiments it shows, in the order of their curves.
    pub experiments: Vec<String>,
    /// Its title.
    pub title: String,
    /// Label of the horizontal axis, in markup (`n^{2}`, `x_{t}`).
    pub x: String,
    /// Label of the vertical axis, in markup.
    pub y: String,
    /// What it shows, with its source: the first sentence of the caption.
    pub shows: String,
    /// Claims that its data decide.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Options of its kind.
    #[serde(default)]
    pub options: toml::Table,
}

impl FigureSpec {
    /// Reads and checks the file `pipeline/figures/<name>.toml`.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, ReportError> {
        let wrong = |cause: String| ReportError::Specification { file: format!("pipeline/figures/{name}.toml"), cause };
        let mut spec: FigureSpec =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        spec.name = name.to_owned();
        let kind = find(&spec.kind).ok_or_else(|| {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            spec.wrong(format!("unknown kind `{}`; known kinds: {}", spec.kind, known.join(", ")))
        })?;
        (kind.check)(&spec)?;
        if spec.experiments.is_empty() {
            return Err(spec.wrong("`experiments` names no experiment".into()));
        }
        Ok(spec)
    }

    /// The options as its kind knows them; unknown ones are refused by the type.
    fn options<T: DeserializeOwned>(&self) -> Result<T, ReportError> {
        T::deserialize(self.options.clone()).map_err(|error| self.wrong(format!("options: {error}")))
    }

    /// The error for something that is wrong in its file.
    fn wrong(&self, cause: String) -> ReportError {
        wrong(&self.name, cause)
    }

    fn kind(&self) -> Result<&'static Kind, ReportError> {
        find(&self.kind).ok_or_else(|| self.wrong(format!("unknown kind `{}`", self.kind)))
    }

    /// Whether it shows measured times, and so needs them and does not repeat byte for byte.
    pub fn measured(&self) -> bool {
        find(&self.kind).is_some_and(|kind| kind.measured)
    }

    /// The source file of its kind, for code identity.
    pub fn source_file(&self) -> Option<&'static str> {
        find(&self.kind).map(|kind| kind.file)
    }

    /// The files it publishes, relative to the project root: SVG, PNG, description.
    pub fn outputs(&self) -> Vec<PathBuf> {
        let folder = PathBuf::from("reports").join(folder(true, self.measured()));
        ["svg", "png", "json"].map(|extension| folder.join(format!("{}.{extension}", self.name))).to_vec()
    }
}

fn wrong(name: &str, cause: String) -> ReportError {
    ReportError::Specification { file: format!("pipeline/figures/{name}.toml"), cause: cause.trim_end().to_owned() }
}

/// What a figure or table is told beside the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The profile that was run.
    pub profile: String,
}

/// A chart with the paragraphs of its caption that come from the data.
pub struct Drawn {
    /// The chart.
    pub chart: Chart,
    /// Paragraphs.
    pub caption: Vec<String>,
}

/// Renders a figure: SVG, PNG and description, with their paths relative to the project root. `experiments` holds the
/// results of every experiment that the specification names; a figure of measured times needs them with times.
pub fn render(
    spec: &FigureSpec,
    experiments: &BTreeMap<String, Experiment>,
    context: &Context,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ReportError> {
    let kind = spec.kind()?;
    let shown = select(&spec.name, &spec.experiments, experiments)?;
    let mut drawn = (kind.draw)(spec, &shown, context)?;
    let mut caption = vec![sentence(&spec.shows)];
    caption.append(&mut drawn.caption);
    drawn.chart.title = spec.title.clone();
    drawn.chart.description = caption.join(" ");
    let scene = scene(&drawn.chart);
    let exhibit = Exhibit {
        name: spec.name.clone(),
        section: spec.section,
        title: spec.title.clone(),
        caption,
        measured: kind.measured,
        body: Body::Figure,
    };
    let png = png::png(&scene).map_err(|cause| ReportError::Drawing { name: spec.name.clone(), cause })?;
    Ok(vec![
        (exhibit.path("svg"), svg::svg(&scene).into_bytes()),
        (exhibit.path("png"), png),
        (exhibit.path("json"), exhibit.to_json()?),
    ])
}

/// The results of the named experiments, in that order.
pub fn select<'a>(
    name: &str,
    wanted: &[String],
    experiments: &'a BTreeMap<String, Experiment>,
) -> Result<Vec<&'a Experiment>, ReportError> {
    let one = |experiment: &String| {
        experiments
            .get(experiment)
            .ok_or_else(|| ReportError::NoExperiment { name: name.into(), experiment: experiment.clone() })
    };
    wanted.iter().map(one).collect()
}
