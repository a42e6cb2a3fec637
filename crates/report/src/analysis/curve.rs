//! Curves: the mean of a quantity over the replicates of one label, along the rounds, along the horizons, or, at the
//! end of the longest runs, against another quantity.
//!
//! Only replicates that were played to their horizon enter a mean: otherwise a mean would fall when a bad replicate
//! diverges. The others are counted in the curve's [`ReplicateTally`].

use std::collections::BTreeMap;

use crate::analysis::quantity::{QuantityReading, RunQuantity};
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::summary::{MeanEstimate, ReplicateTally, estimate};
use crate::trace::cell::EndStatus;

/// A point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// Round, horizon, or the mean over replicates of another quantity; NaN where runs lack it.
    pub x: f64,
    /// The value of each replicate, in order of replicates.
    pub values: Vec<(u64, f64)>,
    /// Their mean with its interval.
    pub estimate: MeanEstimate,
}

/// The mean over the replicates of one label on one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanCurve {
    /// Experiment.
    pub experiment: String,
    /// Dataset or synthetic law.
    pub stream: String,
    /// Registered name of the learner.
    pub learner: String,
    /// Name of the curve.
    pub label: String,
    /// The label that its values are set against, if they are.
    pub(crate) over: Option<String>,
    /// The horizon of its runs; the largest, where they have several.
    pub horizon: u64,
    /// How its replicates ended.
    pub(crate) tally: ReplicateTally,
    /// Its points, in order of x; none when no replicate was played to its horizon.
    pub points: Vec<CurvePoint>,
}

impl MeanCurve {
    /// The last point.
    pub fn last(&self) -> Option<&CurvePoint> {
        self.points.last()
    }

    /// Whether two curves belong to the same stream of the same experiment.
    pub(crate) fn is_beside(&self, other: &MeanCurve) -> bool {
        self.stream == other.stream && self.experiment == other.experiment
    }
}

/// One curve per stream and label along the rounds. A label that was run with several horizons is shown at its
/// largest one.
pub fn along_rounds(experiment: &ExperimentResults, y: &QuantityReading) -> Vec<MeanCurve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let runs = longest(runs);
        let mut tally = ReplicateTally::default();
        let mut series = Vec::new();
        for run in &runs {
            let values = if run.status == EndStatus::Done { y.along(experiment, run) } else { Vec::new() };
            if run.status == EndStatus::Done && values.is_empty() {
                tally.missing += 1;
            } else {
                tally.add(run);
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
pub fn along_horizons(experiment: &ExperimentResults, y: &QuantityReading) -> Vec<MeanCurve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let mut points: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
        // A replicate has one run per horizon; it counts as done when all of them are.
        let mut ends: BTreeMap<u64, ReplicateTally> = BTreeMap::new();
        for run in &runs {
            let end = ends.entry(run.replicate).or_default();
            match (run.status, y.at_end(experiment, run)) {
                (EndStatus::Done, Some(value)) => {
                    end.add(run);
                    points.entry(run.horizon).or_default().push((run.replicate, value));
                }
                (EndStatus::Done, None) => end.missing += 1,
                _ => end.add(run),
            }
        }
        let mut tally = ReplicateTally::default();
        ends.values().for_each(|end| tally.add_replicate(end));
        curves.push(curve(experiment, &runs, tally, rounds(points)));
    }
    curves
}

/// One curve per stream and label with a single point, at the label's largest horizon: the mean over replicates of one
/// number against the mean of another. A label without any value of `y` has no point.
pub fn at_ends(experiment: &ExperimentResults, x: &QuantityReading, y: &QuantityReading) -> Vec<MeanCurve> {
    let mut curves = Vec::new();
    for runs in by_label(experiment).into_values() {
        let runs = longest(runs);
        let mut tally = ReplicateTally::default();
        let mut values = Vec::new();
        let mut abscissae = Vec::new();
        for run in &runs {
            match (run.status, y.at_end(experiment, run)) {
                (EndStatus::Done, Some(value)) => {
                    tally.add(run);
                    values.push((run.replicate, value));
                    abscissae.push(x.at_end(experiment, run).unwrap_or(f64::NAN));
                }
                (EndStatus::Done, None) => tally.missing += 1,
                _ => tally.add(run),
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
fn longest(mut runs: Vec<&RunResult>) -> Vec<&RunResult> {
    let horizon = runs.iter().map(|run| run.horizon).max();
    runs.retain(|run| Some(run.horizon) == horizon);
    runs
}

/// Values by replicate.
type ReplicateValues = Vec<(u64, f64)>;

fn rounds(points: BTreeMap<u64, ReplicateValues>) -> impl Iterator<Item = (f64, ReplicateValues)> {
    points.into_iter().map(|(x, values)| (x as f64, values))
}

impl CurvePoint {
    /// The point at x with these values of replicates; none without values.
    pub(crate) fn new(x: f64, values: Vec<(u64, f64)>) -> Option<CurvePoint> {
        let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        Some(CurvePoint { x, estimate: estimate(&numbers)?, values })
    }

    /// The same point, of replicates that are all the same: they say no more than one of them.
    fn repeated(self) -> CurvePoint {
        let estimate = estimate(&self.values.iter().take(1).map(|(_, value)| *value).collect::<Vec<_>>());
        CurvePoint { estimate: estimate.unwrap_or(self.estimate), ..self }
    }

    /// Whether it has several replicates, which are all the same.
    pub(crate) fn repeats(&self) -> bool {
        self.values.len() > 1 && self.estimate.count == 1
    }

    /// The values of its replicates; one value where they are all the same.
    pub(crate) fn distinct(&self) -> Vec<f64> {
        let count = if self.estimate.count == 1 { 1 } else { self.values.len() };
        self.values.iter().take(count).map(|(_, value)| *value).collect()
    }

    /// What `with` makes of the values of this point and another one, replicate by replicate.
    pub(crate) fn beside(&self, other: &CurvePoint, with: impl Fn(f64, f64) -> f64) -> Option<CurvePoint> {
        let pairs = self.values.iter().filter_map(|&(replicate, value)| {
            let (_, partner) = other.values.iter().find(|(partner, _)| *partner == replicate)?;
            Some((replicate, with(value, *partner)))
        });
        let point = CurvePoint::new(self.x, pairs.collect())?;
        let same = self.estimate.count == 1 && other.estimate.count == 1;
        Some(if same { point.repeated() } else { point })
    }
}

/// A curve. Replicates of a learner without random draws are the same on rows in the order of their file.
fn curve(
    experiment: &ExperimentResults,
    runs: &[&RunResult],
    tally: ReplicateTally,
    points: impl Iterator<Item = (f64, ReplicateValues)>,
) -> MeanCurve {
    let mut points: Vec<CurvePoint> = points.filter_map(|(x, values)| CurvePoint::new(x, values)).collect();
    let same = |point: &CurvePoint| point.values.iter().all(|value| value.1 == point.values[0].1);
    if runs.iter().all(|run| run.in_file_order) && points.iter().all(same) {
        points = points.into_iter().map(CurvePoint::repeated).collect();
    }
    let of = |text: fn(&RunResult) -> &String| runs.first().map(|run| text(run).clone()).unwrap_or_default();
    MeanCurve {
        experiment: experiment.name.clone(),
        stream: of(|run| &run.stream),
        learner: of(|run| &run.learner),
        label: of(|run| &run.label),
        over: None,
        horizon: runs.iter().map(|run| run.horizon).max().unwrap_or_default(),
        tally,
        points,
    }
}

/// The runs of a label on a stream at their longest horizon.
#[derive(Clone, Debug)]
pub(crate) struct LongestRuns<'e> {
    pub experiment: &'e ExperimentResults,
    pub stream: &'e str,
    pub label: &'e str,
    pub rounds: u64,
    /// How they ended.
    pub(crate) tally: ReplicateTally,
    /// Those that were played to the horizon.
    pub(crate) done: Vec<&'e RunResult>,
}

/// Those of all labels and streams.
pub(crate) fn longest_runs(experiment: &ExperimentResults) -> impl Iterator<Item = LongestRuns<'_>> {
    by_label(experiment).into_iter().map(move |((stream, label), runs)| {
        let mut done = longest(runs);
        let rounds = done.first().map(|run| run.horizon).unwrap_or_default();
        let mut tally = ReplicateTally::default();
        done.iter().for_each(|run| tally.add(run));
        done.retain(|run| run.status == EndStatus::Done);
        LongestRuns { experiment, stream, label, rounds, tally, done }
    })
}

impl LongestRuns<'_> {
    /// The values of a quantity at the ends of the completed runs that have it.
    pub(crate) fn values(&self, quantity: &RunQuantity) -> Vec<f64> {
        self.done.iter().filter_map(|run| quantity.at_end(self.experiment, run)).collect()
    }

    /// Their mean. Replicates that are the same, on rows in the order of their file, count as one.
    pub(crate) fn mean(&self, quantity: &RunQuantity) -> Option<MeanEstimate> {
        let mut values = self.values(quantity);
        if self.done.iter().all(|run| run.in_file_order) && values.iter().all(|value| *value == values[0]) {
            values.truncate(1);
        }
        estimate(&values)
    }
}

/// The runs of each stream and label, in the order of [`ExperimentResults::runs`].
pub(crate) fn by_label(experiment: &ExperimentResults) -> BTreeMap<(&str, &str), Vec<&RunResult>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&RunResult>> = BTreeMap::new();
    for run in &experiment.runs {
        groups.entry((&run.stream, &run.label)).or_default().push(run);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::{TimeSpent, tests};
    use crate::trace::cell::TraceRow;
    use crate::trace::gauge::QUERIES;

    fn run(label: &str, replicate: u64, horizon: u64, status: EndStatus) -> RunResult {
        RunResult {
            learner: "fogd".into(),
            status,
            cumulative_loss: Some(10.0 * horizon as f64 + replicate as f64),
            comparator_loss: Some(9.0 * horizon as f64),
            ..tests::run(label, replicate, horizon)
        }
    }

    fn experiment(runs: Vec<RunResult>) -> ExperimentResults {
        let checkpoints = runs.iter().map(|run| {
            let loss = |t: u64| (1 + run.replicate) as f64 * t as f64;
            let rows = [1, 2, 4].map(|t| TraceRow {
                t,
                cumulative_loss: loss(t),
                cumulative_error: Some(1.0),
                ..TraceRow::default()
            });
            (run.run_id.clone(), rows.to_vec())
        });
        let checkpoints = checkpoints.collect();
        ExperimentResults { name: "casp".into(), runs, checkpoints, ..ExperimentResults::default() }
    }

    #[test]
    fn the_same_run_in_the_order_of_a_file_is_one_replicate() {
        let of = |in_file_order: bool, other: u64| {
            let runs =
                [0, other].map(|replicate| RunResult { in_file_order, ..run("a", replicate, 4, EndStatus::Done) });
            let mut data = experiment(runs.to_vec());
            // The second one has another name, and the losses of the first.
            let losses = data.checkpoints[&data.runs[0].run_id].clone();
            if other == 1 {
                data.checkpoints.insert(data.runs[1].run_id.clone(), losses);
            }
            let [curve] = &along_rounds(&data, &RunQuantity::AverageLoss.into())[..] else { panic!("one curve") };
            let end = curve.last().unwrap();
            (end.distinct().len(), end.estimate.half_width, end.clone())
        };
        let (same, other) = (of(true, 1), of(true, 2));
        assert!(same.2.repeats() && !other.2.repeats());
        assert_eq!((same.0, same.1), (1, None));
        assert_eq!((other.0, other.1.is_some()), (2, true), "other draws");
        let chance = of(false, 1);
        assert_eq!((chance.0, chance.1), (2, Some(0.0)), "equal by chance, on other orders");
        // Two that repeat themselves differ once; one that does not gives each pair.
        let less = |one: &CurvePoint, other: &CurvePoint| one.beside(other, |a, b| a - b).unwrap();
        assert_eq!(less(&same.2, &same.2).estimate.half_width, None);
        let renamed = CurvePoint { values: vec![(0, 1.0), (2, 1.0)], ..same.2.clone() };
        assert_eq!(less(&other.2, &renamed).distinct().len(), 2);
        assert_eq!(less(&renamed, &other.2).distinct().len(), 2);
    }

    #[test]
    fn means_along_rounds_by_hand() {
        let data = experiment(vec![run("a", 0, 4, EndStatus::Done), run("a", 1, 4, EndStatus::Done)]);
        let curves = along_rounds(&data, &RunQuantity::AverageLoss.into());
        assert_eq!(curves.len(), 1);
        let last = curves[0].last().unwrap();
        assert_eq!((last.x, last.estimate.mean), (4.0, 1.5));
        // Values 1 and 2: standard error 1/2, t_1 = 12.7062047361747.
        assert!((last.estimate.half_width.unwrap() - 6.353102368087349).abs() < 1e-12);
        let errors = along_rounds(&data, &RunQuantity::ErrorRate.into());
        assert_eq!(errors[0].points.iter().map(|point| point.estimate.mean).collect::<Vec<_>>(), [1.0, 0.5, 0.25]);
    }

    #[test]
    fn runs_that_ended_early_are_counted_and_left_out() {
        let data = experiment(vec![
            run("a", 0, 4, EndStatus::Done),
            run("a", 1, 4, EndStatus::Diverged),
            run("a", 2, 4, EndStatus::Failed),
        ]);
        let curve = &along_rounds(&data, &RunQuantity::AverageLoss.into())[0];
        assert_eq!(curve.tally, ReplicateTally { done: 1, diverged: 1, failed: 1, missing: 0 });
        assert_eq!(curve.last().unwrap().estimate.mean, 1.0);
    }

    #[test]
    fn a_round_that_one_replicate_lacks_is_left_out() {
        let mut data = experiment(vec![run("a", 0, 4, EndStatus::Done), run("a", 1, 4, EndStatus::Done)]);
        data.checkpoints.get_mut("a-1-4").unwrap().remove(1);
        let rounds: Vec<f64> =
            along_rounds(&data, &RunQuantity::AverageLoss.into())[0].points.iter().map(|p| p.x).collect();
        assert_eq!(rounds, [1.0, 4.0]);
    }

    #[test]
    fn the_largest_horizon_is_shown() {
        let data = experiment(vec![run("a", 0, 2, EndStatus::Done), run("a", 0, 4, EndStatus::Done)]);
        assert_eq!(along_rounds(&data, &RunQuantity::AverageLoss.into())[0].horizon, 4);
    }

    #[test]
    fn times_that_were_not_measured_are_missing() {
        let mut data = experiment(vec![run("a", 0, 4, EndStatus::Done), run("a", 1, 4, EndStatus::Done)]);
        data.times.insert("a-0-4".into(), vec![TimeSpent { t: 4, cpu: 0.5, wall: 0.6 }]);
        let curve = &along_rounds(&data, &RunQuantity::ProcessorTime.into())[0];
        assert_eq!((curve.tally.done, curve.tally.missing), (1, 1));
        assert_eq!(curve.last().unwrap().estimate.mean, 0.5);
    }

    #[test]
    fn regret_is_loss_minus_comparator_at_each_horizon() {
        let data = experiment(vec![
            run("a", 0, 2, EndStatus::Done),
            run("a", 1, 2, EndStatus::Done),
            run("a", 0, 4, EndStatus::Done),
        ]);
        let curve = &along_horizons(&data, &RunQuantity::Regret.into())[0];
        let means: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x, point.estimate.mean)).collect();
        assert_eq!(means, [(2.0, 2.5), (4.0, 4.0)]);
        assert_eq!(curve.tally, ReplicateTally { done: 2, ..ReplicateTally::default() });
        let mut data = data;
        data.runs[1].comparator_loss = None;
        let tally = along_horizons(&data, &RunQuantity::Regret.into())[0].tally;
        assert_eq!(tally, ReplicateTally { done: 1, missing: 1, ..ReplicateTally::default() });
    }

    /// Only the longest runs count, and the abscissa of equal parameters is that parameter.
    #[test]
    fn ends_stand_at_another_number_of_their_runs() {
        let mut data = experiment(vec![
            run("a", 0, 2, EndStatus::Done),
            run("a", 0, 4, EndStatus::Done),
            run("a", 1, 4, EndStatus::Done),
        ]);
        data.runs.iter_mut().for_each(|run| run.parameters = [("mu".to_owned(), 0.1)].into());
        let curve = &at_ends(&data, &RunQuantity::Parameter("mu".into()).into(), &RunQuantity::Regret.into())[0];
        let [point] = curve.points.as_slice() else { panic!("{curve:?}") };
        assert_eq!((point.x, point.values.as_slice()), (0.1, &[(0, 4.0), (1, 5.0)][..]));
        let nowhere = &at_ends(&data, &RunQuantity::Gauge(QUERIES).into(), &RunQuantity::Regret.into())[0];
        assert!(nowhere.points[0].x.is_nan());
        assert!(at_ends(&data, &RunQuantity::Regret.into(), &RunQuantity::Gauge(QUERIES).into())[0].points.is_empty());
    }
}
