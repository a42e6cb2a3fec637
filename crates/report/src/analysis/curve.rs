//! Curves: the mean of a quantity over the replicates of one label, along the rounds, along the horizons, or, at the
//! end of the longest runs, against another quantity.
//!
//! Only replicates that were played to their horizon enter a mean: otherwise a mean would fall when a bad replicate
//! diverges. The others are counted in the curve's [`Tally`].

use std::collections::BTreeMap;

use crate::analysis::quantity::Reading;
use crate::analysis::record::{Experiment, Run};
use crate::analysis::summary::{Estimate, Tally, estimate};
use crate::trace::cell::RunStatus;

/// A point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Round, horizon, or the mean over replicates of another quantity; NaN where runs lack it.
    pub x: f64,
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
    /// The horizon of its runs; the largest, where they have several.
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

    /// Whether two curves belong to the same stream of the same experiment.
    pub(crate) fn is_beside(&self, other: &Curve) -> bool {
        self.stream == other.stream && self.experiment == other.experiment
    }
}

/// One curve per stream and label along the rounds. A label that was run with several horizons is shown at its
/// largest one.
pub fn along_rounds(experiment: &Experiment, y: &Reading) -> Vec<Curve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let runs = longest(runs);
        let mut tally = Tally::default();
        let mut series = Vec::new();
        for run in &runs {
            let values = if run.status == RunStatus::Done { y.along(experiment, run) } else { Vec::new() };
            if run.status == RunStatus::Done && values.is_empty() {
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
        curves.push(curve(experiment, &runs, tally, rounds(points)));
    }
    curves
}

/// One curve per stream and label along the horizons: a number known at the end of each run.
pub fn along_horizons(experiment: &Experiment, y: &Reading) -> Vec<Curve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let mut points: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
        // A replicate has one run per horizon; it counts as done when all of them are.
        let mut ends: BTreeMap<u64, Tally> = BTreeMap::new();
        for run in &runs {
            let end = ends.entry(run.replicate).or_default();
            match (run.status, y.at_end(experiment, run)) {
                (RunStatus::Done, Some(value)) => {
                    end.add(run.status);
                    points.entry(run.horizon).or_default().push((run.replicate, value));
                }
                (RunStatus::Done, None) => end.missing += 1,
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
        curves.push(curve(experiment, &runs, tally, rounds(points)));
    }
    curves
}

/// One curve per stream and label with a single point, at the label's largest horizon: the mean over replicates of one
/// number against the mean of another. A label without any value of `y` has no point.
pub fn at_ends(experiment: &Experiment, x: &Reading, y: &Reading) -> Vec<Curve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let runs = longest(runs);
        let mut tally = Tally::default();
        let mut values = Vec::new();
        let mut abscissae = Vec::new();
        for run in &runs {
            match (run.status, y.at_end(experiment, run)) {
                (RunStatus::Done, Some(value)) => {
                    tally.add(run.status);
                    values.push((run.replicate, value));
                    abscissae.push(x.at_end(experiment, run).unwrap_or(f64::NAN));
                }
                (RunStatus::Done, None) => tally.missing += 1,
                _ => tally.add(run.status),
            }
        }
        let equal = abscissae.iter().all(|value| *value == abscissae[0]);
        // The mean of equal numbers can differ from them by rounding.
        let x = if equal { abscissae.first().copied() } else { estimate(&abscissae).map(|found| found.mean) };
        curves.push(curve(experiment, &runs, tally, x.into_iter().map(|x| (x, values.clone()))));
    }
    curves
}

/// The runs at the largest horizon among them.
fn longest(mut runs: Vec<&Run>) -> Vec<&Run> {
    let horizon = runs.iter().map(|run| run.horizon).max();
    runs.retain(|run| Some(run.horizon) == horizon);
    runs
}

/// Values by replicate.
type Values = Vec<(u64, f64)>;

fn rounds(points: BTreeMap<u64, Values>) -> impl Iterator<Item = (f64, Values)> {
    points.into_iter().map(|(x, values)| (x as f64, values))
}

impl Point {
    /// The point at x with these values of replicates; none without values.
    pub(crate) fn new(x: f64, values: Vec<(u64, f64)>) -> Option<Point> {
        let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        Some(Point { x, estimate: estimate(&numbers)?, values })
    }
}

fn curve(experiment: &Experiment, runs: &[&Run], tally: Tally, points: impl Iterator<Item = (f64, Values)>) -> Curve {
    let of = |text: fn(&Run) -> &String| runs.first().map(|run| text(run).clone()).unwrap_or_default();
    Curve {
        experiment: experiment.name.clone(),
        stream: of(|run| &run.stream),
        learner: of(|run| &run.learner),
        label: of(|run| &run.label),
        horizon: runs.iter().map(|run| run.horizon).max().unwrap_or_default(),
        tally,
        points: points.filter_map(|(x, values)| Point::new(x, values)).collect(),
    }
}

/// The runs of each stream and label, in the order of [`Experiment::runs`].
pub(crate) fn by_label(experiment: &Experiment) -> BTreeMap<(&str, &str), Vec<&Run>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Run>> = BTreeMap::new();
    for run in &experiment.runs {
        groups.entry((&run.stream, &run.label)).or_default().push(run);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::quantity::Quantity;
    use crate::analysis::record::{Spent, tests};
    use crate::trace::cell::Checkpoint;
    use crate::trace::gauge::QUERIES;

    fn run(label: &str, replicate: u64, horizon: u64, status: RunStatus) -> Run {
        Run {
            learner: "fogd".into(),
            status,
            cumulative_loss: Some(10.0 * horizon as f64 + replicate as f64),
            comparator_loss: Some(9.0 * horizon as f64),
            ..tests::run(label, replicate, horizon)
        }
    }

    fn experiment(runs: Vec<Run>) -> Experiment {
        let checkpoints = runs.iter().map(|run| {
            let loss = |t: u64| (1 + run.replicate) as f64 * t as f64;
            let rows = [1, 2, 4].map(|t| Checkpoint {
                t,
                cumulative_loss: loss(t),
                cumulative_error: Some(1.0),
                ..Checkpoint::default()
            });
            (run.run_id.clone(), rows.to_vec())
        });
        let checkpoints = checkpoints.collect();
        Experiment { name: "casp".into(), runs, checkpoints, ..Experiment::default() }
    }

    #[test]
    fn means_along_rounds_by_hand() {
        let data = experiment(vec![run("a", 0, 4, RunStatus::Done), run("a", 1, 4, RunStatus::Done)]);
        let curves = along_rounds(&data, &Quantity::AverageLoss.into());
        assert_eq!(curves.len(), 1);
        let last = curves[0].last().unwrap();
        assert_eq!((last.x, last.estimate.mean), (4.0, 1.5));
        // Values 1 and 2: standard error 1/2, t_1 = 12.7062047361747.
        assert!((last.estimate.half_width.unwrap() - 6.353102368087349).abs() < 1e-12);
        let errors = along_rounds(&data, &Quantity::ErrorRate.into());
        assert_eq!(errors[0].points.iter().map(|point| point.estimate.mean).collect::<Vec<_>>(), [1.0, 0.5, 0.25]);
    }

    #[test]
    fn runs_that_ended_early_are_counted_and_left_out() {
        let data = experiment(vec![
            run("a", 0, 4, RunStatus::Done),
            run("a", 1, 4, RunStatus::Diverged),
            run("a", 2, 4, RunStatus::Failed),
        ]);
        let curve = &along_rounds(&data, &Quantity::AverageLoss.into())[0];
        assert_eq!(curve.tally, Tally { done: 1, diverged: 1, failed: 1, missing: 0 });
        assert_eq!(curve.last().unwrap().estimate.mean, 1.0);
    }

    #[test]
    fn a_round_that_one_replicate_lacks_is_left_out() {
        let mut data = experiment(vec![run("a", 0, 4, RunStatus::Done), run("a", 1, 4, RunStatus::Done)]);
        data.checkpoints.get_mut("a-1-4").unwrap().remove(1);
        let rounds: Vec<f64> =
            along_rounds(&data, &Quantity::AverageLoss.into())[0].points.iter().map(|p| p.x).collect();
        assert_eq!(rounds, [1.0, 4.0]);
    }

    #[test]
    fn the_largest_horizon_is_shown() {
        let data = experiment(vec![run("a", 0, 2, RunStatus::Done), run("a", 0, 4, RunStatus::Done)]);
        assert_eq!(along_rounds(&data, &Quantity::AverageLoss.into())[0].horizon, 4);
    }

    #[test]
    fn times_that_were_not_measured_are_missing() {
        let mut data = experiment(vec![run("a", 0, 4, RunStatus::Done), run("a", 1, 4, RunStatus::Done)]);
        data.times.insert("a-0-4".into(), vec![Spent { t: 4, cpu: 0.5, wall: 0.6 }]);
        let curve = &along_rounds(&data, &Quantity::ProcessorTime.into())[0];
        assert_eq!((curve.tally.done, curve.tally.missing), (1, 1));
        assert_eq!(curve.last().unwrap().estimate.mean, 0.5);
    }

    #[test]
    fn regret_is_loss_minus_comparator_at_each_horizon() {
        let data = experiment(vec![
            run("a", 0, 2, RunStatus::Done),
            run("a", 1, 2, RunStatus::Done),
            run("a", 0, 4, RunStatus::Done),
        ]);
        let curve = &along_horizons(&data, &Quantity::Regret.into())[0];
        let means: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x, point.estimate.mean)).collect();
        assert_eq!(means, [(2.0, 2.5), (4.0, 4.0)]);
        assert_eq!(curve.tally, Tally { done: 2, ..Tally::default() });
        let mut data = data;
        data.runs[1].comparator_loss = None;
        let tally = along_horizons(&data, &Quantity::Regret.into())[0].tally;
        assert_eq!(tally, Tally { done: 1, missing: 1, ..Tally::default() });
    }

    /// Only the longest runs count, and the abscissa of equal parameters is that parameter.
    #[test]
    fn ends_stand_at_another_number_of_their_runs() {
        let mut data = experiment(vec![
            run("a", 0, 2, RunStatus::Done),
            run("a", 0, 4, RunStatus::Done),
            run("a", 1, 4, RunStatus::Done),
        ]);
        data.runs.iter_mut().for_each(|run| run.parameters = [("mu".to_owned(), 0.1)].into());
        let curve = &at_ends(&data, &Quantity::Parameter("mu".into()).into(), &Quantity::Regret.into())[0];
        let [point] = curve.points.as_slice() else { panic!("{curve:?}") };
        assert_eq!((point.x, point.values.as_slice()), (0.1, &[(0, 4.0), (1, 5.0)][..]));
        let nowhere = &at_ends(&data, &Quantity::Gauge(QUERIES).into(), &Quantity::Regret.into())[0];
        assert!(nowhere.points[0].x.is_nan());
        assert!(at_ends(&data, &Quantity::Regret.into(), &Quantity::Gauge(QUERIES).into())[0].points.is_empty());
    }
}
