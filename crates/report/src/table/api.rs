//! What a table is: its specification and its kind.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::Experiment;
use crate::analysis::reported::Reported;
use crate::analysis::tuned::Tuned;
use crate::exhibit::Exhibit;
use crate::schema;
use crate::table::format::Grid;
use noregret_papers::errata::api::Finding;
use noregret_papers::paper::Paper;

/// A kind of table.
#[derive(Debug)]
pub struct Kind {
    /// Its name in specification files.
    pub name: &'static str,
    /// The module that defines it (`module_path!()`), for code identity.
    pub module: &'static str,
    /// Whether it shows measured times: it then needs them, and its bytes differ from run to run.
    pub measured: bool,
    /// Turns results into a grid and the paragraphs of its caption.
    pub fill: Fill,
}

/// What a table is made from.
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// The runs of its experiments.
    Runs(fn(&[&Experiment]) -> Filled),
    /// The runs of its experiments, and the rows of rates about these.
    Bounded(fn(&[&Experiment], &[Assessment]) -> Filled),
    /// The decided errata, in the order of their registry.
    Errata(fn(&[Finding]) -> Filled),
    /// All rows of rates, in the order of their names.
    Rates(fn(&[Assessment]) -> Filled),
    /// The descriptions of the figures that test claims, measured or not as the kind is, and all rows of rates.
    Claims(fn(&[Exhibit], &[Assessment]) -> Filled),
    /// The choices among settings of tuned learners, in the order of their experiments.
    Tuning(fn(&[Tuned]) -> Filled),
    /// The runs of its experiments, and the losses of other programs on the same streams.
    Reported(fn(&[&Experiment], &[Reported]) -> Filled),
}

/// A grid with the paragraphs of its caption that come from the data.
pub struct Filled {
    /// The cells.
    pub grid: Grid,
    /// Paragraphs.
    pub caption: Vec<String>,
}

/// A table: what it lists of which experiments, with title and caption.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Name of the table: the stem of its file.
    #[serde(skip)]
    pub name: String,
    /// Name of its kind.
    pub kind: String,
    /// The paper that it belongs to, by id.
    #[serde(default)]
    #[schemars(schema_with = "schema::paper")]
    pub paper: Option<Paper>,
    /// The heading of the section of the report that shows it, instead of a paper.
    pub section: Option<String>,
    /// Its place there: smaller numbers come first, and what has none comes last, by name.
    pub place: Option<u32>,
    /// The experiments it draws on, in the order of their rows; none for errata and rates.
    pub experiments: Vec<String>,
    /// For the kind `reported`, the file of the project with the losses of other programs on the same streams: CSV with the
    /// columns stream, rows, loss (squared, error rate), setting, mean, seed, package, version and sha256.
    pub reported: Option<String>,
    /// What that file says. The caller fills it in.
    #[serde(skip)]
    pub others: Vec<Reported>,
    /// Its title.
    pub title: String,
    /// What it shows: the first sentence of the caption.
    pub shows: String,
}

/// A table that was read and checked.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its specification.
    pub spec: TableSpec,
    /// Its kind.
    pub kind: &'static Kind,
}

impl TableSpec {
    /// Its experiments among those that left results, in its order, and the names of the others.
    pub fn found<'a>(&self, results: &'a BTreeMap<String, Experiment>) -> (Vec<&'a Experiment>, Vec<String>) {
        let absent = self.experiments.iter().filter(|name| !results.contains_key(*name)).cloned().collect();
        (self.experiments.iter().filter_map(|name| results.get(name)).collect(), absent)
    }
}
