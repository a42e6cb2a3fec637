//! Quantities: the numbers of runs that curves, rates and tables show, by name.

use serde::Deserialize;

use crate::analysis::record::{Checkpoint, Experiment, Run};

/// A number of a run. The names are those of the columns of the runs table, where there is such a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `regret`: cumulative_loss - comparator_loss.
    Regret,
    /// `average_loss`: cumulative_loss / rounds.
    AverageLoss,
    /// `error_rate`: cumulative_error / rounds, the share of wrong signs.
    ErrorRate,
    /// `stored_points`: points kept from the stream.
    StoredPoints,
    /// `features`: dimension of an explicit feature space.
    Features,
    /// `kernel_evaluations`: kernel evaluations in all.
    KernelEvaluations,
    /// `queries`: noisy copies asked for in all.
    Queries,
    /// `norm`: norm of the final hypothesis.
    Norm,
    /// `processor_time`: seconds of one thread; measured, hence different in every execution.
    ProcessorTime,
    /// `m:NAME`: a named measure of the run.
    Measure(String),
    /// `p:NAME`: a parameter of the run's learner, by its dotted name with underscores.
    Parameter(String),
}

/// The quantities whose names are fixed.
const NAMED: [(&str, Quantity); 9] = [
    ("regret", Quantity::Regret),
    ("average_loss", Quantity::AverageLoss),
    ("error_rate", Quantity::ErrorRate),
    ("stored_points", Quantity::StoredPoints),
    ("features", Quantity::Features),
    ("kernel_evaluations", Quantity::KernelEvaluations),
    ("queries", Quantity::Queries),
    ("norm", Quantity::Norm),
    ("processor_time", Quantity::ProcessorTime),
];

impl Quantity {
    /// The quantity of that name.
    ///
    /// # Errors
    /// A sentence with the names that are allowed.
    pub fn read(name: &str) -> Result<Self, String> {
        if let Some(measure) = name.strip_prefix("m:") {
            return Ok(Quantity::Measure(measure.to_owned()));
        }
        if let Some(parameter) = name.strip_prefix("p:") {
            return Ok(Quantity::Parameter(parameter.to_owned()));
        }
        let found = NAMED.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, quantity)| quantity).ok_or_else(|| {
            let names = NAMED.map(|(name, _)| name).join(", ");
            format!("there is no quantity `{name}`; allowed: {names}, m:<measure>, p:<parameter>")
        })
    }

    /// Its value at the end of a run, where the run has it. Measured times are not part of a run: they are in
    /// [`Experiment::times`], which [`Quantity::at_end`] knows.
    pub fn of(&self, run: &Run) -> Option<f64> {
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match self {
            Quantity::Regret => Some(run.cumulative_loss? - run.comparator_loss?),
            Quantity::AverageLoss => run.average_loss,
            Quantity::ErrorRate => Some(run.cumulative_error? / run.rounds as f64),
            Quantity::StoredPoints => count(run.stored_points),
            Quantity::Features => count(run.features),
            Quantity::KernelEvaluations => count(run.kernel_evaluations),
            Quantity::Queries => count(run.queries),
            Quantity::Norm => run.norm,
            Quantity::Measure(name) => run.measures.get(name).copied(),
            Quantity::Parameter(name) => run.parameters.get(name).copied(),
            Quantity::ProcessorTime => None,
        }
    }

    /// Its value at the end of a run of `experiment`, times included.
    pub fn at_end(&self, experiment: &Experiment, run: &Run) -> Option<f64> {
        match self {
            Quantity::ProcessorTime => Some(experiment.times.get(&run.run_id)?.last()?.cpu),
            other => other.of(run),
        }
    }

    /// Its values along the rounds of a run, as (round, value); empty where they were not recorded.
    pub fn along(&self, experiment: &Experiment, run: &Run) -> Vec<(u64, f64)> {
        let rows = experiment.checkpoints.get(&run.run_id).map(Vec::as_slice).unwrap_or_default();
        // An average needs at least one round.
        let rows = &rows[rows.partition_point(|row| row.t == 0)..];
        let collect = |value: fn(&Checkpoint) -> Option<f64>| -> Vec<(u64, f64)> {
            rows.iter().filter_map(|row| Some((row.t, value(row)?))).collect()
        };
        match self {
            Quantity::AverageLoss => collect(|row| Some(row.cumulative_loss / row.t as f64)),
            Quantity::Regret => collect(|row| Some(row.cumulative_loss - row.comparator_loss?)),
            Quantity::ErrorRate => collect(|row| Some(row.cumulative_error? / row.t as f64)),
            Quantity::ProcessorTime => {
                let rows = experiment.times.get(&run.run_id).map(Vec::as_slice).unwrap_or_default();
                rows.iter().map(|row| (row.t, row.cpu)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether traces record it along the rounds.
    pub fn is_recorded(&self) -> bool {
        matches!(self, Quantity::AverageLoss | Quantity::Regret | Quantity::ErrorRate | Quantity::ProcessorTime)
    }
}

/// A quantity as an axis shows it: `QUANTITY`, `QUANTITY per round`, `root of QUANTITY`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Reading {
    /// The quantity.
    pub quantity: Quantity,
    /// Whether it is divided by the number of rounds.
    pub per_round: bool,
    /// Whether its square root is shown.
    pub root: bool,
}

impl From<Quantity> for Reading {
    fn from(quantity: Quantity) -> Self {
        Reading { quantity, per_round: false, root: false }
    }
}

impl TryFrom<String> for Reading {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let rest = text.strip_prefix("root of ").unwrap_or(&text);
        let name = rest.strip_suffix(" per round").unwrap_or(rest);
        let (root, per_round) = (rest.len() < text.len(), name.len() < rest.len());
        Ok(Reading { quantity: Quantity::read(name)?, per_round, root })
    }
}

impl Reading {
    /// What is shown for a value after so many rounds.
    fn shown(&self, value: f64, rounds: u64) -> f64 {
        let value = if self.per_round { value / rounds as f64 } else { value };
        if self.root { value.sqrt() } else { value }
    }

    /// What is shown at the end of a run.
    pub fn at_end(&self, experiment: &Experiment, run: &Run) -> Option<f64> {
        Some(self.shown(self.quantity.at_end(experiment, run)?, run.horizon))
    }

    /// What is shown along the rounds of a run.
    pub fn along(&self, experiment: &Experiment, run: &Run) -> Vec<(u64, f64)> {
        let values = self.quantity.along(experiment, run).into_iter();
        values.map(|(t, value)| (t, self.shown(value, t))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::tests::run;

    #[test]
    fn readings_are_written_as_words() {
        let read = |text: &str| Reading::try_from(text.to_owned());
        assert_eq!(read("regret").unwrap(), Quantity::Regret.into());
        let root = read("root of m:test_loss per round").unwrap();
        assert_eq!(root, Reading { quantity: Quantity::Measure("test_loss".into()), per_round: true, root: true });
        let mut done = run("a", 0, 4);
        done.measures.insert("test_loss".into(), 36.0);
        assert_eq!(root.at_end(&Experiment::default(), &done), Some(3.0));
        assert!(read("regrets per round").unwrap_err().contains("`regrets`; allowed: regret, average_loss"));
    }

    #[test]
    fn times_are_found_beside_the_runs() {
        assert_eq!(Quantity::ProcessorTime.of(&run("a", 0, 4)), None);
        assert_eq!(Quantity::ProcessorTime.at_end(&Experiment::default(), &run("a", 0, 4)), None);
        assert!(Quantity::StoredPoints.along(&Experiment::default(), &run("a", 0, 4)).is_empty());
    }
}
