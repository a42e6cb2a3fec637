//! A figure: its specification and its kind.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::analysis::record::ExperimentResults;
use crate::analysis::reported::ReportedMean;
use crate::caption::FigureContext;
use crate::chart::plot::Chart;
use crate::claim::TestedClaim;
use crate::error::ReportError;
use crate::exhibit::{ClaimOutcome, ExhibitNeed};
use crate::schema;
use noregret_papers::paper::Paper;

/// A kind of figure.
#[derive(Debug)]
pub struct FigureKind {
    /// Its name in specification files.
    pub name: &'static str,
    /// The module that defines it (`module_path!()`), for code identity.
    pub module: &'static str,
    /// The schema of its options.
    pub options: fn(&mut SchemaGenerator) -> Schema,
    /// Checks that all its options are known and in range, and returns what follows from them.
    pub(crate) check: fn(&FigureSpec) -> Result<CheckedOptions, ReportError>,
    /// Turns results into a chart and the paragraphs of its caption.
    pub(crate) draw: fn(&FigureSpec, &[&ExperimentResults], &FigureContext) -> Result<DrawnFigure, ReportError>,
}

/// What the options of a figure imply.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckedOptions {
    /// Whether it shows measured times. It then needs them, and its bytes differ from run to run.
    pub measured: bool,
    /// The names by which it refers to its experiments.
    pub names: Vec<Name>,
    /// What it is made from, beside runs and rows of rates.
    pub needs: Vec<ExhibitNeed>,
    /// The number of quantities that its claims compare; 0 if it tests none.
    pub claims: usize,
}

/// A name in a specification file that must exist in the experiments of the figure.
#[derive(Clone, Debug)]
pub struct Name {
    /// The field that contains it.
    pub field: String,
    /// The name.
    pub name: String,
    /// What it names.
    pub of: NameKind,
}

/// The kind of thing that a name in a specification file refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A label.
    Label,
    /// The entry of a label: without the values of settings that it ends with.
    Entry,
    /// The words that labels begin with.
    Beginning,
    /// A curve: a label, a label with its stream after a comma, the beginning of labels, or a registered learner.
    Curve,
    /// A stream.
    Stream,
    /// A function that the figure declares.
    Function,
}

/// Panels with what the data say: in the caption, in notes, of the claims.
pub struct DrawnFigure {
    /// The panels, in reading order.
    pub panels: Vec<Chart>,
    /// The number of panels beside each other, where there is room; chosen by their number if it is 0.
    pub columns: usize,
    /// The second sentence of the caption: what points, lines and bands are, and of how many replicates.
    pub run: String,
    /// The third sentence of the caption: what was found.
    pub finding: Option<String>,
    /// The notes below the caption, paragraph by paragraph.
    pub notes: Vec<String>,
    /// What the data say of the claims of the figure, in their order.
    pub claims: Vec<ClaimOutcome>,
}

/// A figure: what it shows of which experiments, with title, axes and caption.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Name of the figure: the stem of its file.
    #[serde(skip)]
    pub name: String,
    /// Name of its kind. A figure of several parts has none: each of them has one.
    #[serde(default)]
    pub kind: String,
    /// The paper that it belongs to, by id.
    #[serde(default)]
    #[schemars(schema_with = "schema::paper")]
    pub paper: Option<Paper>,
    /// The heading of the section of the report that shows it, instead of a paper.
    pub(crate) section: Option<String>,
    /// What the papers leave open, in a sentence or two. The figure then stands on the page of findings, its title asks the
    /// question, its claims answer it, and its design is recorded in `pipeline/designs.lock`.
    pub finding: Option<String>,
    /// Its place there: smaller numbers come first, and what has none comes last, by name.
    pub place: Option<u32>,
    /// The experiments it shows, in the order of their curves. A figure of functions or of rates has none.
    #[serde(default)]
    pub experiments: Vec<String>,
    /// The rows of rates it shows, as globs over their names.
    #[serde(default)]
    pub rates: Vec<String>,
    /// For `options.rows.errata`, which needs it: `true`.
    #[serde(default)]
    pub errata: bool,
    /// For the kind `functions`, the declarations of the functions it shows.
    #[serde(default)]
    #[schemars(schema_with = "schema::table")]
    pub functions: Vec<toml::Table>,
    /// The values of these functions. The caller fills them in before it renders the figure.
    #[serde(skip)]
    pub sampled: Vec<SampledFunction>,
    /// For the kind `curves`, what is solved in hindsight on the rounds of the longest horizon, beside the curves of
    /// learners: each has a `label`, the `name` of a comparator (`noregret list comparators`) and its parameters; lists stand for
    /// alternatives. Its loss is that of the comparator, with its penalty.
    #[serde(default)]
    #[schemars(schema_with = "schema::tables")]
    pub hindsight: Vec<toml::Table>,
    /// For `options.rows.reported`, the file of the project with the losses of other programs on the same streams: CSV with the
    /// columns stream, rows, loss (squared, error rate), setting, mean, seed, package, version and sha256.
    pub reported: Option<String>,
    /// What that file says. The caller fills it in.
    #[serde(skip)]
    pub others: Vec<ReportedMean>,
    /// Its title.
    pub title: String,
    /// Label of the horizontal axis, in markup (`n^{2}`, `x_{t}`).
    pub x: String,
    /// Label of the vertical axis, in markup.
    pub y: String,
    /// What it shows, with its source, in one sentence. This is the first sentence of the caption.
    pub shows: String,
    /// What else a reader should know: the first note below the caption.
    pub notes: Option<String>,
    /// Claims that are tested with its data.
    #[serde(default)]
    pub claims: Vec<TestedClaim>,
    /// Its parts by name (`a`, `b`), in this order, each of a kind of its own. What a part does not say (kind, axes, options), it
    /// has from the figure.
    #[serde(default)]
    pub(crate) subfigures: BTreeMap<String, Subfigure>,
    /// Options of its kind.
    #[serde(default)]
    #[schemars(schema_with = "schema::table")]
    pub options: toml::Table,
}

/// A part of a figure.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subfigure {
    /// The heading of its panels.
    #[serde(default)]
    pub title: String,
    /// Name of its kind.
    pub kind: String,
    /// Those of the figure's experiments that it shows; all if it is empty.
    #[serde(default)]
    pub experiments: Vec<String>,
    /// Label of the horizontal axis, in markup (`n^{2}`, `x_{t}`).
    pub x: String,
    /// Label of the vertical axis, in markup.
    pub y: String,
    /// What a reader should know of it.
    pub notes: Option<String>,
    /// Claims that are tested with its data.
    #[serde(default)]
    pub claims: Vec<TestedClaim>,
    /// Options of its kind.
    #[serde(default)]
    #[schemars(schema_with = "schema::table")]
    pub options: toml::Table,
}

/// The values of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledFunction {
    /// Its name in the legend, in markup.
    pub label: String,
    /// Ascending abscissae, with their values.
    pub points: Vec<(f64, f64)>,
}

impl FigureSpec {
    /// The options as the type of its kind. Unknown options are refused.
    pub(crate) fn options<T: DeserializeOwned>(&self) -> Result<T, ReportError> {
        T::deserialize(self.options.clone()).map_err(|error| self.wrong(format!("options: {error}")))
    }

    /// Its claims, and those of its parts.
    pub fn tested(&self) -> impl Iterator<Item = &TestedClaim> {
        self.claims.iter().chain(self.subfigures.values().flat_map(|part| &part.claims))
    }

    /// Whether it tests claims.
    pub fn tests(&self) -> bool {
        self.tested().next().is_some()
    }

    /// The rows of rates that it shows or that its claims name, as globs over their names.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        self.rates.iter().map(String::as_str).chain(self.tested().filter_map(TestedClaim::row))
    }

    /// The error for a mistake in its file.
    pub(crate) fn wrong(&self, cause: String) -> ReportError {
        ReportError::specification("figure", &self.name, cause)
    }
}

/// How a figure is drawn.
#[derive(Clone, Debug)]
pub(crate) enum Drawing {
    /// By a kind.
    Whole(&'static FigureKind),
    /// Part by part, each as the figure that it would be on its own.
    Parts(Vec<(Subfigure, Figure)>),
}

/// A figure that was read and checked.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its specification.
    pub spec: FigureSpec,
    /// How it is drawn.
    pub(crate) drawing: Drawing,
    /// Whether it shows measured times.
    pub measured: bool,
    /// The names by which it refers to its experiments.
    pub names: Vec<Name>,
    /// What it is made from.
    pub needs: Vec<ExhibitNeed>,
}

impl Figure {
    /// The modules of its kinds, for code identity.
    pub fn modules(&self) -> Vec<&'static str> {
        match &self.drawing {
            Drawing::Whole(kind) => vec![kind.module],
            Drawing::Parts(parts) => parts.iter().flat_map(|(_, part)| part.modules()).collect(),
        }
    }

    /// Whether it is made from this.
    pub fn needs(&self, need: ExhibitNeed) -> bool {
        self.needs.contains(&need)
    }
}
