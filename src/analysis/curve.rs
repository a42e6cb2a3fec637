//! Curves: the mean of a quantity over the replicates of one label, along the rounds or along the horizons.
//!
//! Only replicates that were played to their horizon enter a mean: a mean over whoever is left would fall when a bad
//! replicate diverges. The others are counted in the curve's [`Tally`].

use std::collections::BTreeMap;

use crate::analysis::record::{Experiment, Run, Status};
use crate::analysis::summary::{Estimate, Tally, estimate};

/// What a curve follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// cumulative_loss / t, in units of the loss.
    AverageLoss,
    /// cumulative_error / t, the share of wrong signs.
    ErrorRate,
    /// Processor time of rounds 1..t, in seconds.
    CpuSeconds,
    /// cumulative_loss - comparator_loss of rounds 1..t, against an adversary that knows the latter.
    Regret,
}

/// What a curve along horizons follows: a number known at the end of each run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Final {
    /// cumulative_loss - comparator_loss.
    Regret,
    /// cumulative_loss / rounds.
    AverageLoss,
    /// A named measure of the run.
    Measure(String),
    /// Points kept from the stream.
    StoredPoints,
    /// Dimension of an explicit feature space.
    Features,
    /// Kernel evaluations in all.
    KernelEvaluations,
    /// Noisy copies asked for in all.
    Queries,
    /// Norm of the final hypothesis.
    Norm,
}

impl Final {
    /// Its value for one run, where the run has it.
    pub fn of(&self, run: &Run) -> Option<f64> {
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match self {
            Final::Regret => Some(run.cumulative_loss? - run.comparator_loss?),
            Final::AverageLoss => run.average_loss,
            Final::Measure(name) => run.measures.get(name).copied(),
            Final::StoredPoints => count(run.stored_points),
            Final::Features => count(run.features),
            Final::KernelEvaluations => count(run.kernel_evaluations),
            Final::Queries => count(run.queries),
            Final::Norm => run.norm,
        }
    }
}

/// A point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Round or horizon.
    pub x: u64,
    /// The value of each replicate, in order of replicates.
    pub values: Vec<(u64, f64)>,
    /// Their mean with its interval.
    pub estimate: Estimate,
}

/// The mean over the replicates of one label on one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Experiment.
    pub experiment: String,
    /// Dataset or synthetic law.
    pub stream: String,
    /// Registered name of the learner.
    pub learner: String,
    /// Name of the curve.
    pub label: String,
    /// The horizon of its runs; the largest, for a curve along horizons.
    pub horizon: u64,
    /// How its replicates ended.
    pub tally: Tally,
    /// Its points, in order of x; none when no replicate was played to its horizon.
    pub points: Vec<Point>,
}

impl Curve {
    /// The last point.
    pub fn last(&self) -> Option<&Point> {
        self.points.last()
    }
}

/// One curve per stream and label along the rounds. A label that was run with several horizons is shown at its
/// largest one.
pub fn along_rounds(experiment: &Experiment, quantity: Quantity) -> Vec<Curve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let horizon = runs.iter().map(|run| run.horizon).max().unwrap_or_default();
        let runs: Vec<&Run> = runs.into_iter().filter(|run| run.horizon == horizon).collect();
        let mut tally = Tally::default();
        let mut series = Vec::new();
        for run in &runs {
            let values = if run.status == Status::Done { values_of(experiment, run, quantity) } else { Vec::new() };
            if run.status == Status::Done && values.is_empty() {
                tally.missing += 1;
            } else {
                tally.add(run.status);
                series.push((run.replicate, values));
            }
        }
        let mut points: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
        for (replicate, values) in &series {
            for (t, value) in values {
                points.entry(*t).or_default().push((*replicate, *value));
            }
        }
        // Replicates share their checkpoints; a round that only some of them recorded would make the mean jump.
        points.retain(|_, values| values.len() == tally.done);
        curves.push(curve(experiment, &runs, horizon, tally, points));
    }
    curves
}

/// One curve per stream and label along the horizons: a number known at the end of each run.
pub fn along_horizons(experiment: &Experiment, quantity: &Final) -> Vec<Curve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let mut points: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
        // A replicate has one run per horizon; it counts as done when all of them are.
        let mut ends: BTreeMap<u64, Tally> = BTreeMap::new();
        for run in &runs {
            let end = ends.entry(run.replicate).or_default();
            match (run.status, quantity.of(run)) {
                (Status::Done, Some(value)) => {
                    end.add(run.status);
                    points.entry(run.horizon).or_default().push((run.replicate, value));
                }
                (Status::Done, None) => end.missing += 1,
                _ => end.add(run.status),
            }
        }
        let mut tally = Tally::default();
        for end in ends.values() {
            match end {
                Tally { failed: 1.., .. } => tally.failed += 1,
                Tally { diverged: 1.., .. } => tally.diverged += 1,
                Tally { missing: 1.., .. } => tally.missing += 1,
                _ => tally.done += 1,
            }
        }
        let horizon = runs.iter().map(|run| run.horizon).max().unwrap_or_default();
        curves.push(curve(experiment, &runs, horizon, tally, points));
    }
    curves
}

fn curve(
    experiment: &Experiment,
    runs: &[&Run],
    horizon: u64,
    tally: Tally,
    points: BTreeMap<u64, Vec<(u64, f64)>>,
) -> Curve {
    let first = runs.first();
    let points = points.into_iter().filter_map(|(x, values)| {
        let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        Some(Point { x, estimate: estimate(&numbers)?, values })
    });
    Curve {
        experiment: experiment.name.clone(),
        stream: first.map(|run| run.stream.clone()).unwrap_or_default(),
        learner: first.map(|run| run.learner.clone()).unwrap_or_default(),
        label: first.map(|run| run.label.clone()).unwrap_or_default(),
        horizon,
        tally,
        points: points.collect(),
    }
}

/// The runs of each stream and label, in the order of [`Experiment::runs`].
pub fn by_label(experiment: &Experiment) -> BTreeMap<(&str, &str), Vec<&Run>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Run>> = BTreeMap::new();
    for run in &experiment.runs {
        groups.entry((&run.stream, &run.label)).or_default().push(run);
    }
    groups
}

fn values_of(experiment: &Experiment, run: &Run, quantity: Quantity) -> Vec<(u64, f64)> {
    let rows = experiment.checkpoints.get(&run.run_id).map(Vec::as_slice).unwrap_or_default();
    // An average needs at least one round.
    let rows = &rows[rows.partition_point(|row| row.t == 0)..];
    match quantity {
        Quantity::AverageLoss => rows.iter().map(|row| (row.t, row.cumulative_loss / row.t as f64)).collect(),
        Quantity::Regret => {
            rows.iter().filter_map(|row| Some((row.t, row.cumulative_loss - row.comparator_loss?))).collect()
        }
        Quantity::ErrorRate => {
            rows.iter().filter_map(|row| Some((row.t, row.cumulative_error? / row.t as f64))).collect()
        }
        Quantity::CpuSeconds => {
            let rows = experiment.times.get(&run.run_id).map(Vec::as_slice).unwrap_or_default();
            rows.iter().map(|row| (row.t, row.cpu)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::{Checkpoint, Spent};

    fn run(label: &str, replicate: u64, horizon: u64, status: Status) -> Run {
        Run {
            run_id: format!("{label}-{replicate}-{horizon}"),
            stream: "casp".into(),
            learner: "fogd".into(),
            label: label.into(),
            replicate,
            horizon,
            status,
            detail: None,
            rounds: horizon,
            average_loss: None,
            cumulative_loss: Some(10.0 * horizon as f64 + replicate as f64),
            cumulative_error: None,
            comparator_loss: Some(9.0 * horizon as f64),
            stored_points: None,
            features: None,
            kernel_evaluations: None,
            norm: None,
            state_bytes: None,
            queries: None,
            measures: BTreeMap::new(),
            parameters: BTreeMap::new(),
        }
    }

    fn experiment(runs: Vec<Run>) -> Experiment {
        let checkpoints = runs.iter().map(|run| {
            let loss = |t: u64| (1 + run.replicate) as f64 * t as f64;
            let rows = [1, 2, 4].map(|t| Checkpoint {
                t,
                cumulative_loss: loss(t),
                cumulative_error: Some(1.0),
                comparator_loss: None,
                queries: None,
            });
            (run.run_id.clone(), rows.to_vec())
        });
        let checkpoints = checkpoints.collect();
        Experiment { name: "casp".into(), runs, checkpoints, ..Experiment::default() }
    }

    #[test]
    fn means_along_rounds_by_hand() {
        let data = experiment(vec![run("a", 0, 4, Status::Done), run("a", 1, 4, Status::Done)]);
        let curves = along_rounds(&data, Quantity::AverageLoss);
        assert_eq!(curves.len(), 1);
        let last = curves[0].last().unwrap();
        assert_eq!((last.x, last.estimate.mean), (4, 1.5));
        // Values 1 and 2: standard error 1/2, t_1 = 12.7062047361747.
        assert!((last.estimate.half_width.unwrap() - 6.353102368087349).abs() < 1e-12);
        let errors = along_rounds(&data, Quantity::ErrorRate);
        assert_eq!(errors[0].points.iter().map(|point| point.estimate.mean).collect::<Vec<_>>(), [1.0, 0.5, 0.25]);
    }

    #[test]
    fn runs_that_ended_early_are_counted_and_left_out() {
        let data = experiment(vec![
            run("a", 0, 4, Status::Done),
            run("a", 1, 4, Status::Diverged),
            run("a", 2, 4, Status::Failed),
        ]);
        let curve = &along_rounds(&data, Quantity::AverageLoss)[0];
        assert_eq!(curve.tally, Tally { done: 1, diverged: 1, failed: 1, missing: 0 });
        assert_eq!(curve.last().unwrap().estimate.mean, 1.0);
    }

    #[test]
    fn a_round_that_one_replicate_lacks_is_left_out() {
        let mut data = experiment(vec![run("a", 0, 4, Status::Done), run("a", 1, 4, Status::Done)]);
        data.checkpoints.get_mut("a-1-4").unwrap().remove(1);
        let rounds: Vec<u64> = along_rounds(&data, Quantity::AverageLoss)[0].points.iter().map(|p| p.x).collect();
        assert_eq!(rounds, [1, 4]);
    }

    #[test]
    fn the_largest_horizon_is_shown() {
        let data = experiment(vec![run("a", 0, 2, Status::Done), run("a", 0, 4, Status::Done)]);
        assert_eq!(along_rounds(&data, Quantity::AverageLoss)[0].horizon, 4);
    }

    #[test]
    fn times_that_were_not_measured_are_missing() {
        let mut data = experiment(vec![run("a", 0, 4, Status::Done), run("a", 1, 4, Status::Done)]);
        data.times.insert("a-0-4".into(), vec![Spent { t: 4, cpu: 0.5, wall: 0.6 }]);
        let curve = &along_rounds(&data, Quantity::CpuSeconds)[0];
        assert_eq!((curve.tally.done, curve.tally.missing), (1, 1));
        assert_eq!(curve.last().unwrap().estimate.mean, 0.5);
    }

    #[test]
    fn regret_is_loss_minus_comparator_at_each_horizon() {
        let data =
            experiment(vec![run("a", 0, 2, Status::Done), run("a", 1, 2, Status::Done), run("a", 0, 4, Status::Done)]);
        let curve = &along_horizons(&data, &Final::Regret)[0];
        let means: Vec<(u64, f64)> = curve.points.iter().map(|point| (point.x, point.estimate.mean)).collect();
        assert_eq!(means, [(2, 2.5), (4, 4.0)]);
        assert_eq!(curve.tally, Tally { done: 2, ..Tally::default() });
    }
}
