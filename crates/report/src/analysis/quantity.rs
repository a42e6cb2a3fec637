//! Quantities: the numbers of runs that curves, rates and tables show, by name.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::record::{ExperimentResults, RunResult};
use crate::trace::cell::TraceRow;
use crate::trace::gauge::Gauge;

/// A number of a run. The names are those of the columns of the runs table, where there is such a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunQuantity {
    /// `regret`.
    Regret,
    /// `average_loss`.
    AverageLoss,
    /// `error_rate`.
    ErrorRate,
    /// `processor_time`: measured, hence different in every execution.
    ProcessorTime,
    /// A gauge, by the name of its column.
    Gauge(Gauge),
    /// `m:NAME`: a named measure of the run.
    Measure(String),
    /// `p:NAME`: a parameter of the run's learner, by its dotted name with underscores.
    Parameter(String),
}

/// A quantity that is neither a gauge nor a measure nor a parameter.
struct Computed {
    quantity: RunQuantity,
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    doc: &'static str,
    at_end: fn(&ExperimentResults, &RunResult) -> Option<f64>,
    along: AlongRounds,
}

/// Where the values along the rounds come from.
enum AlongRounds {
    /// From each checkpoint of the trace.
    Trace(fn(&TraceRow) -> Option<f64>),
    /// From the processor times.
    Times,
}

static COMPUTED: [Computed; 4] = [
    Computed {
        quantity: RunQuantity::Regret,
        name: "regret",
        title: "Regret",
        unit: "units of the loss",
        doc: "cumulative_loss - comparator_loss",
        at_end: |_, run| Some(run.cumulative_loss? - run.comparator_loss?),
        along: AlongRounds::Trace(|row| Some(row.cumulative_loss - row.comparator_loss?)),
    },
    Computed {
        quantity: RunQuantity::AverageLoss,
        name: "average_loss",
        title: "Average loss",
        unit: "units of the loss",
        doc: "cumulative_loss / rounds",
        at_end: |_, run| run.average_loss,
        along: AlongRounds::Trace(|row| Some(row.cumulative_loss / row.t as f64)),
    },
    Computed {
        quantity: RunQuantity::ErrorRate,
        name: "error_rate",
        title: "Error rate",
        unit: "",
        doc: "cumulative_error / rounds, the share of wrong signs",
        at_end: |_, run| Some(run.cumulative_error? / run.rounds as f64),
        along: AlongRounds::Trace(|row| Some(row.cumulative_error? / row.t as f64)),
    },
    Computed {
        quantity: RunQuantity::ProcessorTime,
        name: "processor_time",
        title: "Processor time",
        unit: "s",
        doc: "processor time of the learner's rounds, as measured",
        at_end: |experiment, run| Some(experiment.times.get(&run.run_id)?.last()?.cpu),
        along: AlongRounds::Times,
    },
];

impl RunQuantity {
    /// The quantity of that name.
    ///
    /// # Errors
    /// A sentence with the names that are allowed.
    pub(crate) fn read(name: &str) -> Result<Self, String> {
        if let Some(measure) = name.strip_prefix("m:") {
            return Ok(RunQuantity::Measure(measure.to_owned()));
        }
        if let Some(parameter) = name.strip_prefix("p:") {
            return Ok(RunQuantity::Parameter(parameter.replace('.', "_")));
        }
        Self::named().find(|quantity| quantity.name() == name).ok_or_else(|| {
            let names: Vec<String> = Self::named().map(|quantity| quantity.name()).collect();
            format!("there is no quantity `{name}`; allowed: {}, m:<measure>, p:<parameter>", names.join(", "))
        })
    }

    /// The quantities whose names are fixed.
    fn named() -> impl Iterator<Item = Self> {
        let computed = COMPUTED.iter().map(|computed| computed.quantity.clone());
        computed.chain(Gauge::all().map(RunQuantity::Gauge))
    }

    fn computed(&self) -> Option<&'static Computed> {
        COMPUTED.iter().find(|computed| computed.quantity == *self)
    }

    /// Its name.
    pub(crate) fn name(&self) -> String {
        match self {
            RunQuantity::Gauge(gauge) => gauge.column().name.to_owned(),
            RunQuantity::Measure(name) => format!("m:{name}"),
            RunQuantity::Parameter(name) => format!("p:{name}"),
            computed => computed.computed().map(|computed| computed.name.to_owned()).unwrap_or_default(),
        }
    }

    /// Its title in tables and sentences; that of a measure or a parameter is its name as words.
    pub(crate) fn title(&self) -> String {
        match self {
            RunQuantity::Gauge(gauge) => gauge.title().to_owned(),
            RunQuantity::Measure(name) | RunQuantity::Parameter(name) => words(name),
            computed => computed.computed().map(|computed| computed.title.to_owned()).unwrap_or_default(),
        }
    }

    /// Its value at the end of a run of `experiment`, where the run has it. Times are found beside the run.
    pub(crate) fn at_end(&self, experiment: &ExperimentResults, run: &RunResult) -> Option<f64> {
        match self {
            RunQuantity::Gauge(gauge) => run.gauges.number(*gauge),
            RunQuantity::Measure(name) => run.measures.get(name).copied(),
            RunQuantity::Parameter(name) => run.parameters.get(name).copied(),
            computed => (computed.computed()?.at_end)(experiment, run),
        }
    }

    /// Its values along the rounds of a run, as (round, value); empty where they were not recorded.
    pub(crate) fn along(&self, experiment: &ExperimentResults, run: &RunResult) -> Vec<(u64, f64)> {
        let rows = experiment.checkpoints.get(&run.run_id).map(Vec::as_slice).unwrap_or_default();
        // An average needs at least one round.
        let rows = rows[rows.partition_point(|row| row.t == 0)..].iter();
        match (self, self.computed().map(|computed| &computed.along)) {
            (RunQuantity::Gauge(gauge), _) => {
                rows.filter_map(|row| Some((row.t, row.gauges.number(*gauge)?))).collect()
            }
            (_, Some(AlongRounds::Trace(value))) => rows.filter_map(|row| Some((row.t, value(row)?))).collect(),
            (_, Some(AlongRounds::Times)) => {
                let times = experiment.times.get(&run.run_id).map(Vec::as_slice).unwrap_or_default();
                times.iter().map(|row| (row.t, row.cpu)).collect()
            }
            (_, None) => Vec::new(),
        }
    }

    /// Whether traces record it along the rounds.
    pub(crate) fn is_recorded(&self) -> bool {
        !matches!(self, RunQuantity::Measure(_) | RunQuantity::Parameter(_))
    }
}

/// A name as words: `Squared L2 error` of `squared_l2_error`.
fn words(name: &str) -> String {
    let word = |word: &str| match word {
        "l2" | "rkhs" => word.to_uppercase(),
        word => word.to_owned(),
    };
    let words = name.split(['_', ' ']).map(word).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The quantities that are computed from columns as a Markdown table, for the book.
pub fn describe() -> String {
    let rows = COMPUTED.iter().map(|row| format!("| `{}` | {} | {} |\n", row.name, row.unit, row.doc));
    rows.fold("| quantity | unit | meaning |\n| --- | --- | --- |\n".into(), |table, row| table + &row)
}

/// A quantity as an axis shows it: `QUANTITY`, `QUANTITY per round`, `root of QUANTITY`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct QuantityReading {
    /// The quantity.
    pub quantity: RunQuantity,
    /// Whether it is divided by the number of rounds.
    pub(crate) per_round: bool,
    /// Whether its square root is shown.
    pub(crate) root: bool,
}

impl JsonSchema for QuantityReading {
    fn schema_name() -> Cow<'static, str> {
        "QuantityReading".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl From<RunQuantity> for QuantityReading {
    fn from(quantity: RunQuantity) -> Self {
        QuantityReading { quantity, per_round: false, root: false }
    }
}

impl TryFrom<String> for QuantityReading {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let rest = text.strip_prefix("root of ").unwrap_or(&text);
        let name = rest.strip_suffix(" per round").unwrap_or(rest);
        let (root, per_round) = (rest.len() < text.len(), name.len() < rest.len());
        Ok(QuantityReading { quantity: RunQuantity::read(name)?, per_round, root })
    }
}

impl QuantityReading {
    /// What is shown for a value after so many rounds.
    fn shown(&self, value: f64, rounds: u64) -> f64 {
        let value = if self.per_round { value / rounds as f64 } else { value };
        if self.root { value.sqrt() } else { value }
    }

    /// What is shown at the end of a run.
    pub(crate) fn at_end(&self, experiment: &ExperimentResults, run: &RunResult) -> Option<f64> {
        Some(self.shown(self.quantity.at_end(experiment, run)?, run.horizon))
    }

    /// What is shown along the rounds of a run.
    pub(crate) fn along(&self, experiment: &ExperimentResults, run: &RunResult) -> Vec<(u64, f64)> {
        let values = self.quantity.along(experiment, run).into_iter();
        values.map(|(t, value)| (t, self.shown(value, t))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::tests::run;
    use crate::trace::gauge::{Amount, GaugeValues, QUERIES};

    #[test]
    fn readings_are_written_as_words() {
        let read = |text: &str| QuantityReading::try_from(text.to_owned());
        assert_eq!(read("regret").unwrap(), RunQuantity::Regret.into());
        let root = read("root of m:test_loss per round").unwrap();
        assert_eq!(
            root,
            QuantityReading { quantity: RunQuantity::Measure("test_loss".into()), per_round: true, root: true }
        );
        let mut done = run("a", 0, 4);
        done.measures.insert("test_loss".into(), 36.0);
        assert_eq!(root.at_end(&ExperimentResults::default(), &done), Some(3.0));
        assert!(read("regrets per round").unwrap_err().contains("`regrets`; allowed: regret, average_loss"));
    }

    #[test]
    fn what_was_not_recorded_has_no_value() {
        assert_eq!(RunQuantity::ProcessorTime.at_end(&ExperimentResults::default(), &run("a", 0, 4)), None);
        assert!(RunQuantity::Gauge(QUERIES).along(&ExperimentResults::default(), &run("a", 0, 4)).is_empty());
        assert_eq!(RunQuantity::Gauge(QUERIES).at_end(&ExperimentResults::default(), &run("a", 0, 4)), None);
    }

    #[test]
    fn gauges_are_quantities_by_the_names_of_their_columns() {
        let queries = RunQuantity::read("queries").unwrap();
        let values = |count| GaugeValues::default().with(QUERIES, Some(Amount::Count(count)));
        let end = RunResult { gauges: values(8), ..run("a", 0, 4) };
        let row = |t, count| TraceRow { t, gauges: values(count), ..TraceRow::default() };
        let checkpoints = [(end.run_id.clone(), vec![row(0, 0), row(1, 2), row(4, 8)])].into();
        let experiment = ExperimentResults { checkpoints, ..ExperimentResults::default() };
        assert_eq!((queries.at_end(&experiment, &end), queries.title()), (Some(8.0), "Queries".into()));
        assert_eq!(queries.along(&experiment, &end), [(1, 2.0), (4, 8.0)]);
        assert!(RunQuantity::read("query").unwrap_err().contains("queries"));
    }

    #[test]
    fn titles_are_words() {
        let title = |name: &str| RunQuantity::read(name).unwrap().title();
        let titles = ["m:squared_l2_error", "m:draws per round", "p:mu", "regret"].map(title);
        assert_eq!(titles, ["Squared L2 error", "Draws per round", "Mu", "Regret"]);
    }

    #[test]
    fn names_are_read_back() {
        for quantity in RunQuantity::named() {
            assert_eq!(RunQuantity::read(&quantity.name()), Ok(quantity));
        }
        assert_eq!(RunQuantity::named().filter_map(|quantity| quantity.computed()).count(), COMPUTED.len());
    }
}
