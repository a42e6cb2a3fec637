//! Ends of runs against one of their numbers: loss against a parameter, regret against the size of a dictionary.

use std::collections::BTreeMap;

use crate::analysis::curve::{Final, by_label};
use crate::analysis::record::{Experiment, Run, Status};
use crate::analysis::summary::{Estimate, Tally, estimate};

/// What the ends of runs are set against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abscissa {
    /// A parameter of the learner, by its dotted name with underscores.
    Parameter(String),
    /// Another number known at the end.
    Final(Final),
}

impl Abscissa {
    fn of(&self, run: &Run) -> Option<f64> {
        match self {
            Abscissa::Parameter(name) => run.parameters.get(name).copied(),
            Abscissa::Final(quantity) => quantity.of(run),
        }
    }
}

/// One label at its largest horizon: means over replicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Name of the curve that the runs were declared as.
    pub label: String,
    /// Dataset or synthetic law.
    pub stream: String,
    /// Registered name of the learner.
    pub learner: String,
    /// Number of rounds.
    pub horizon: u64,
    /// How its replicates ended.
    pub tally: Tally,
    /// Mean of the abscissa; none where the runs do not have it.
    pub x: Option<f64>,
    /// The ordinate.
    pub y: Estimate,
    /// Means of points kept and of features, where the learner has them.
    pub sizes: [Option<f64>; 2],
}

/// What a place shows of its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ordinate {
    /// A number known at the end.
    Final(Final),
    /// Processor time of the whole run, in seconds.
    ProcessorTime,
}

impl Ordinate {
    fn of(&self, experiment: &Experiment, run: &Run) -> Option<f64> {
        match self {
            Ordinate::Final(quantity) => quantity.of(run),
            Ordinate::ProcessorTime => Some(experiment.times.get(&run.run_id)?.last()?.cpu),
        }
    }
}

/// The place of every stream and label that has the ordinate, in the order of names.
pub fn places(experiment: &Experiment, x: &Abscissa, y: &Ordinate) -> Vec<Place> {
    let mut places = Vec::new();
    for ((stream, label), runs) in by_label(experiment) {
        let horizon = runs.iter().map(|run| run.horizon).max().unwrap_or_default();
        let runs: Vec<&Run> = runs.into_iter().filter(|run| run.horizon == horizon).collect();
        let mut tally = Tally::default();
        let mut ends: BTreeMap<u64, (&Run, f64)> = BTreeMap::new();
        for run in &runs {
            match (run.status, y.of(experiment, run)) {
                (Status::Done, Some(value)) => {
                    tally.add(run.status);
                    ends.insert(run.replicate, (run, value));
                }
                (Status::Done, None) => tally.missing += 1,
                _ => tally.add(run.status),
            }
        }
        let mean = |of: &dyn Fn(&Run) -> Option<f64>| {
            let values: Option<Vec<f64>> = ends.values().map(|(run, _)| of(run)).collect();
            estimate(&values?).map(|found| found.mean)
        };
        let values: Vec<f64> = ends.values().map(|(_, value)| *value).collect();
        if let Some(y) = estimate(&values) {
            places.push(Place {
                label: label.to_owned(),
                stream: stream.to_owned(),
                learner: runs.first().map(|run| run.learner.clone()).unwrap_or_default(),
                horizon,
                tally,
                x: mean(&|run| x.of(run)),
                y,
                sizes: [mean(&|run| Final::StoredPoints.of(run)), mean(&|run| Final::Features.of(run))],
            });
        }
    }
    places
}
