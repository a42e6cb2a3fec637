//! What a table is: its specification and its kind.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::analysis::guarantee::GuaranteeChecks;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::ExperimentResults;
use crate::analysis::reported::ReportedMean;
use crate::analysis::tuned::TuningChoice;
use crate::error::ReportError;
use crate::exhibit::{Exhibit, ExhibitNeed};
use crate::figure::api::Name;
use crate::schema;
use crate::table::format::TableGrid;
use noregret_papers::errata::api::ErratumFinding;
use noregret_papers::paper::Paper;

/// A kind of table.
#[derive(Debug)]
pub struct TableKind {
    /// Its name in specification files.
    pub name: &'static str,
    /// The module that defines it (`module_path!()`), for code identity.
    pub module: &'static str,
    /// What it is made from. Its caption names what is missing of the first of these.
    pub needs: &'static [ExhibitNeed],
    /// Whether it shows measured times: it then needs them, and its bytes differ from run to run.
    pub measured: bool,
    /// Turns what it needs into a grid and the paragraphs of its caption.
    pub fill: fn(&TableInput<'_>) -> Filled,
    /// The lines that the terminal is told when it is made.
    pub says: fn(&TableInput<'_>) -> Vec<String>,
    /// The schema of its options, where it takes any.
    pub options: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// Checks the options, and returns the names by which they refer to the experiments.
    pub(crate) check: fn(&TableSpec) -> Result<Vec<Name>, ReportError>,
}

/// The options of a kind of table.
pub(crate) trait TableOptions: DeserializeOwned + JsonSchema {
    /// The names by which they refer to the experiments, with their keys.
    fn names(&self) -> Vec<Name>;
}

impl TableKind {
    /// A kind without measured times.
    pub(crate) const fn new(
        name: &'static str,
        module: &'static str,
        needs: &'static [ExhibitNeed],
        fill: fn(&TableInput<'_>) -> Filled,
    ) -> Self {
        Self { name, module, needs, measured: false, fill, says: |_| Vec::new(), options: None, check: no_options }
    }

    /// Whether it is of some experiments, and not of all that there is.
    pub fn takes_experiments(&self) -> bool {
        [ExhibitNeed::Runs, ExhibitNeed::Choices].iter().any(|need| self.needs.contains(need))
    }

    /// The same with options.
    pub(crate) const fn taking<T: TableOptions>(self) -> Self {
        Self { options: Some(SchemaGenerator::subschema_for::<T>), check: checked_options::<T>, ..self }
    }

    /// The same with measured times.
    pub(crate) const fn measured(self) -> Self {
        Self { measured: true, ..self }
    }
}

fn no_options(spec: &TableSpec) -> Result<Vec<Name>, ReportError> {
    let wrong = || spec.wrong(format!("the kind `{}` takes no `options`", spec.kind));
    spec.options.is_empty().then(Vec::new).ok_or_else(wrong)
}

fn checked_options<T: TableOptions>(spec: &TableSpec) -> Result<Vec<Name>, ReportError> {
    let options = T::deserialize(spec.options.clone());
    Ok(options.map_err(|error| spec.wrong(format!("options: {error}")))?.names())
}

/// What a table is made from; empty where its kind does not need it.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableInput<'a> {
    /// The runs of its experiments.
    pub experiments: &'a [&'a ExperimentResults],
    /// Rows of rates.
    pub rates: &'a [Assessment],
    /// The decided errata.
    pub findings: &'a [ErratumFinding],
    /// The descriptions of the figures that test claims.
    pub figures: &'a [Exhibit],
    /// The choices among settings of tuned learners.
    pub choices: &'a [TuningChoice],
    /// The losses of other programs.
    pub reported: &'a [ReportedMean],
    /// Runs that were held against statements about every run.
    pub guarantees: Option<&'a GuaranteeChecks>,
    /// The options of its kind, which were checked.
    pub options: Option<&'a toml::Table>,
}

impl TableInput<'_> {
    /// The options as the type of the kind; those of an empty table where none are given.
    pub(crate) fn options<T: TableOptions>(&self) -> Option<T> {
        T::deserialize(self.options.cloned().unwrap_or_default()).ok()
    }
}

/// A grid with the paragraphs of its caption that come from the data.
pub struct Filled {
    /// The cells.
    pub grid: TableGrid,
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
    pub others: Vec<ReportedMean>,
    /// Its title.
    pub title: String,
    /// What it shows: the first sentence of the caption.
    pub shows: String,
    /// Options of its kind.
    #[serde(default)]
    #[schemars(schema_with = "schema::table")]
    pub options: toml::Table,
}

/// A table that was read and checked.
#[derive(Clone, Debug)]
pub struct CheckedTable {
    /// Its specification.
    pub spec: TableSpec,
    /// Its kind.
    pub kind: &'static TableKind,
    /// The names by which its options refer to the experiments.
    pub names: Vec<Name>,
}

impl TableSpec {
    /// The error for a mistake in its file.
    pub(crate) fn wrong(&self, cause: String) -> ReportError {
        ReportError::specification("table", &self.name, cause)
    }

    /// Its experiments among those that left results, in its order, and the names of the others.
    pub fn found<'a>(
        &self,
        results: &'a BTreeMap<String, ExperimentResults>,
    ) -> (Vec<&'a ExperimentResults>, Vec<String>) {
        let absent = self.experiments.iter().filter(|name| !results.contains_key(*name)).cloned().collect();
        (self.experiments.iter().filter_map(|name| results.get(name)).collect(), absent)
    }
}

impl CheckedTable {
    /// Whether it is made from this.
    pub fn needs(&self, need: ExhibitNeed) -> bool {
        self.kind.needs.contains(&need)
    }
}
