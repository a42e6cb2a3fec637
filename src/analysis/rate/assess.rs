//! A row of the table of rates: what the theorem says, what was measured, what follows.

use std::collections::{BTreeMap, BTreeSet};

use noregret_core::paper::Paper;
use serde::{Deserialize, Serialize};

use crate::analysis::rate::bound::{ValueCheck, check};
use crate::analysis::rate::competing::{Candidate, candidates};
use crate::analysis::rate::curvature::{Bend, bend};
use crate::analysis::rate::exponent::{Checks, checks, exponent, slope};
use crate::analysis::rate::floor::{Floor, floor};
use crate::analysis::rate::local::{LocalSlope, local_slopes};
use crate::analysis::rate::row::{Row, Value};
use crate::analysis::rate::sample::{Jackknife, Sample};
use crate::analysis::rate::verdict::{Comparison, compare};
use crate::analysis::record::{Experiment, Run};
use crate::analysis::summary::Tally;
use crate::trace::cell::RunStatus;
use noregret_core::theory::api::{Arguments, Shape, Subject};

/// An assessed row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assessment {
    /// Its name.
    pub row: String,
    /// Name of the theorem.
    pub theorem: String,
    /// Its paper.
    pub paper: Paper,
    /// Where in the paper.
    pub place: String,
    /// What it says.
    pub statement: String,
    /// What it is about.
    pub subject: Subject,
    /// How it says that the quantity grows.
    pub shape: Shape,
    /// The experiment.
    pub experiment: String,
    /// The stream, where the row names one.
    pub stream: Option<String>,
    /// The label of the curve.
    pub label: String,
    /// The quantity.
    pub quantity: String,
    /// The setting.
    pub setting: String,
    /// Margin of the equivalence test.
    pub margin: f64,
    /// Whether the row holds values against a bound.
    pub bounded: bool,
    /// What the row's file says in addition.
    pub explanation: Option<String>,
    /// What came out.
    pub outcome: Assessed,
}

/// What came out of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assessed {
    /// There is nothing to assess, for this reason.
    Missing(String),
    /// What was measured.
    Measured(Box<Measured>),
}

/// What was measured, and what was computed from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The values.
    pub sample: Sample,
    /// The bound for each value, where the row checks values.
    pub bounds: Option<Vec<Vec<f64>>>,
    /// How the replicates ended.
    pub tally: Tally,
    /// The exponent; none where the mean is not positive at some horizon, with or without some seed. With a floor, the
    /// exponent of what lies above it.
    pub exponent: Option<Jackknife>,
    /// The horizons where the mean over all seeds is not positive.
    pub not_positive: Vec<u64>,
    /// The exponent against the theorem's.
    pub comparison: Option<Comparison>,
    /// Other estimates of the exponent.
    pub checks: Checks,
    /// The bend on log-log axes.
    pub bend: Option<Bend>,
    /// The bend relative to the theorem's shape.
    pub bend_from_shape: Option<Bend>,
    /// Local slopes.
    pub local: Vec<LocalSlope>,
    /// Competing shapes, best first.
    pub candidates: Vec<Candidate>,
    /// The values against the bound.
    pub value_check: Option<ValueCheck>,
    /// The fitted floor, for rows that have one.
    pub floor: Option<Floor>,
}

/// Assesses a row. `experiment` is none where the experiment is not declared or left no results.
pub fn assess(row: &Row, experiment: Option<&Experiment>) -> Assessment {
    let outcome = match experiment {
        None => Assessed::Missing(format!("experiment {} has no results", row.experiment)),
        Some(experiment) => match measure(row, experiment) {
            Ok(measured) => Assessed::Measured(Box::new(measured)),
            Err(reason) => Assessed::Missing(reason),
        },
    };
    Assessment {
        row: row.name.clone(),
        theorem: row.theorem.name.to_owned(),
        paper: row.theorem.paper,
        place: row.theorem.place.to_owned(),
        statement: row.theorem.statement.to_owned(),
        subject: row.theorem.subject,
        shape: row.shape,
        experiment: row.experiment.clone(),
        stream: row.stream.clone(),
        label: row.label.clone(),
        quantity: row.quantity_name.clone(),
        setting: row.setting.clone(),
        margin: row.margin,
        bounded: row.bound.is_some(),
        explanation: row.explanation.clone(),
        outcome,
    }
}

fn measure(row: &Row, experiment: &Experiment) -> Result<Measured, String> {
    let Values { sample, bounds, tally } = values(row, experiment)?;
    let t = sample.t();
    let floor = if row.floor { floor(&sample) } else { None };
    let exponent = if row.floor { floor.as_ref().map(|floor| floor.exponent.clone()) } else { exponent(&sample) };
    // The shape on the same horizons, fitted like the means.
    let shape: Vec<f64> = t.iter().map(|t| row.shape.ln(*t).exp()).collect();
    let comparison = exponent.as_ref().zip(slope(&t, &shape));
    let comparison = comparison.map(|(found, predicted)| compare(found, t.len(), predicted, row.margin));
    let means = sample.means();
    let not_positive =
        sample.horizons.iter().zip(&means).filter(|(_, mean)| mean.is_nan() || **mean <= 0.0).map(|(t, _)| *t);
    Ok(Measured {
        not_positive: not_positive.collect(),
        comparison,
        checks: checks(&sample),
        bend: bend(&sample, &Shape::power(0.0), row.margin),
        bend_from_shape: bend(&sample, &row.shape, row.margin),
        local: local_slopes(&sample, &row.shape),
        candidates: candidates(&sample, &row.shape),
        value_check: bounds.as_ref().and_then(|bounds| check(&sample, bounds, row.worst_per_round)),
        exponent,
        floor,
        sample,
        bounds,
        tally,
    })
}

/// The values of a row with their bounds.
struct Values {
    sample: Sample,
    bounds: Option<Vec<Vec<f64>>>,
    tally: Tally,
}

/// Takes the values of a row from the runs. Replicates that lack a value at some horizon are left out and counted.
fn values(row: &Row, experiment: &Experiment) -> Result<Values, String> {
    let name = &experiment.name;
    let of_label: Vec<&Run> = experiment.runs.iter().filter(|run| run.label == row.label).collect();
    if of_label.is_empty() {
        let labels: BTreeSet<&str> = experiment.runs.iter().map(|run| run.label.as_str()).collect();
        let labels = labels.into_iter().collect::<Vec<_>>().join(", ");
        return Err(format!("experiment {name} has no curve `{}`; curves: {labels}", row.label));
    }
    let streams: BTreeSet<&str> = of_label.iter().map(|run| run.stream.as_str()).collect();
    let stream = match &row.stream {
        Some(stream) => stream.as_str(),
        None if streams.len() == 1 => of_label[0].stream.as_str(),
        None => {
            let streams = streams.into_iter().collect::<Vec<_>>().join(", ");
            return Err(format!("experiment {name} has several streams and the row names none: {streams}"));
        }
    };
    let runs: Vec<&Run> = of_label.into_iter().filter(|run| run.stream == stream).collect();
    if runs.is_empty() {
        return Err(format!("`{}` was not run on the stream `{stream}` in experiment {name}", row.label));
    }
    if let Some(horizon) = row.horizons.iter().find(|horizon| runs.iter().all(|run| run.horizon != **horizon)) {
        return Err(format!("experiment {name} has no runs of `{}` at horizon {horizon}", row.label));
    }
    let mut found: BTreeMap<u64, BTreeMap<u64, (f64, Option<f64>)>> = BTreeMap::new();
    let mut ends: BTreeMap<u64, Tally> = BTreeMap::new();
    let mut reason = None;
    for run in runs.iter().filter(|run| row.horizons.contains(&run.horizon)) {
        let end = ends.entry(run.replicate).or_default();
        let value = row
            .quantity
            .at_end(experiment, run)
            .filter(|value| value.is_finite())
            .filter(|_| run.status == RunStatus::Done);
        let bound = bound(row, run);
        if let (Some(value), false) = (value, row.bound.is_some() && bound.is_none()) {
            found.entry(run.replicate).or_default().insert(run.horizon, (value, bound));
            continue;
        }
        match run.status {
            RunStatus::Done => {
                end.missing += 1;
                let what = if value.is_none() { row.quantity_name.as_str() } else { "a measure that the bound needs" };
                reason.get_or_insert_with(|| format!("no value of {what} in the runs of `{}`", row.label));
            }
            status => {
                end.add(status);
                reason.get_or_insert_with(|| run.detail.clone().unwrap_or_else(|| "a run did not end".into()));
            }
        }
    }
    let mut tally = Tally::default();
    for (replicate, end) in &ends {
        let complete = found.get(replicate).is_some_and(|values| values.len() == row.horizons.len());
        match end {
            Tally { failed: 1.., .. } => tally.failed += 1,
            Tally { diverged: 1.., .. } => tally.diverged += 1,
            _ if complete => tally.done += 1,
            _ => tally.missing += 1,
        }
    }
    found.retain(|_, values| values.len() == row.horizons.len());
    if found.is_empty() {
        return Err(reason.unwrap_or_else(|| format!("no replicate of `{}` was run at every horizon", row.label)));
    }
    let bounds = row
        .bound
        .as_ref()
        .map(|_| found.values().map(|values| values.values().filter_map(|(_, bound)| *bound).collect()).collect());
    let sample = Sample {
        horizons: row.horizons.clone(),
        replicates: found.keys().copied().collect(),
        values: found.values().map(|values| values.values().map(|(value, _)| *value).collect()).collect(),
    };
    Ok(Values { sample, bounds, tally })
}

/// The bound for one run; none where the row has none or a measure is missing.
fn bound(row: &Row, run: &Run) -> Option<f64> {
    let given = row.bound.as_ref()?;
    let mut values = row.parameters.clone();
    for (name, value) in given {
        values.insert(
            name.clone(),
            match value {
                Value::Number(number) => *number,
                Value::Measure(measure) => *run.measures.get(measure)?,
            },
        );
    }
    let arguments = Arguments::check(&values, &row.bound_parameters()).ok()?;
    row.theorem.bound.as_ref().map(|bound| (bound.value)(&arguments, run.horizon as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::sample::tests::golden;
    use crate::analysis::rate::verdict::ExponentVerdict;
    use crate::analysis::record::tests::run;
    use crate::config::rate::read;
    use crate::trace::gauge::{Amount, GaugeValues, QUERIES};

    const ROW: &str = r#"
        theorem = "noisy-theorem-1"
        experiment = "e"
        label = "A"
        quantity = "regret"
        setting = "golden vector"
        horizons = [1000, 3000, 10000, 30000, 100000]
    "#;

    fn row(text: &str) -> Row {
        read("row", text, "paper", &["paper"]).unwrap()
    }

    fn experiment() -> Experiment {
        let golden = golden();
        let mut runs = Vec::new();
        for (replicate, values) in golden.values.iter().enumerate() {
            for (horizon, value) in golden.horizons.iter().zip(values) {
                runs.push(Run {
                    stream: "s".into(),
                    cumulative_loss: Some(1000.0 + value),
                    comparator_loss: Some(1000.0),
                    gauges: GaugeValues::default().with(QUERIES, Some(Amount::Count(6 * horizon))),
                    measures: BTreeMap::from([("base".to_owned(), 2.0)]),
                    ..run("A", replicate as u64, *horizon)
                });
            }
        }
        Experiment { name: "e".into(), runs, ..Experiment::default() }
    }

    fn measured(row: &Row, experiment: &Experiment) -> Measured {
        match assess(row, Some(experiment)).outcome {
            Assessed::Measured(measured) => *measured,
            Assessed::Missing(reason) => panic!("{reason}"),
        }
    }

    #[test]
    fn the_golden_row() {
        let found = measured(&row(ROW), &experiment());
        assert!((found.exponent.unwrap().value - 0.4996952993629757).abs() < 1e-9);
        let comparison = found.comparison.unwrap();
        assert!((comparison.delta + 0.0003047006).abs() < 1e-9);
        assert_eq!(comparison.verdict, ExponentVerdict::TooFew, "four seeds are too few");
        assert_eq!((found.tally.done, found.local.len(), found.candidates.len()), (4, 4, 4));
        assert!(!found.bend_from_shape.unwrap().curved);
    }

    #[test]
    fn bounds_from_numbers_and_measures() {
        let queries = ROW.replace("noisy-theorem-1", "noisy-queries-gaussian").replace("\"regret\"", "\"queries\"");
        for p in ["2.0", "\"m:base\""] {
            let found = measured(&row(&format!("{queries}\n[bound]\np = {p}")), &experiment());
            // Six queries a round are the expectation for p = 2: 3 * 2 / 1.
            assert_eq!(found.value_check.unwrap().largest, 1.0);
            assert_eq!(found.exponent.unwrap().error, 0.0);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = |row: &Row, experiment: Option<&Experiment>| match assess(row, experiment).outcome {
            Assessed::Missing(reason) => reason,
            Assessed::Measured(_) => panic!("nothing is missing"),
        };
        let data = experiment();
        assert!(missing(&row(ROW), None).contains("experiment e has no results"));
        assert!(missing(&row(&ROW.replace("\"A\"", "\"B\"")), Some(&data)).contains("no curve `B`; curves: A"));
        assert!(missing(&row(&ROW.replace("100000]", "300000]")), Some(&data)).contains("at horizon 300000"));
        assert!(missing(&row(&ROW.replace("\"regret\"", "\"m:risk\"")), Some(&data)).contains("no value of m:risk"));
        assert!(missing(&row(&ROW.replace("label", "stream = \"x\"\nlabel")), Some(&data)).contains("stream `x`"));
    }

    /// A replicate that diverged at one horizon is left out at all horizons, and counted.
    #[test]
    fn diverged_replicates_are_left_out_and_counted() {
        let mut data = experiment();
        data.runs[7].status = RunStatus::Diverged;
        let found = measured(&row(ROW), &data);
        assert_eq!((found.tally.done, found.tally.diverged), (3, 1));
        assert_eq!(found.sample.replicates, [0, 2, 3]);
    }

    #[test]
    fn regret_that_is_not_positive_has_no_exponent() {
        let mut data = experiment();
        data.runs.iter_mut().filter(|run| run.horizon == 3000).for_each(|run| run.comparator_loss = Some(2000.0));
        let found = measured(&row(ROW), &data);
        assert!(found.exponent.is_none() && found.comparison.is_none());
        assert_eq!(found.not_positive, [3000]);
    }

    /// Numbers may change in their last digit when they are read back.
    #[test]
    fn assessments_survive_json() {
        let written = assess(&row(ROW), Some(&experiment()));
        let read: Assessment = serde_json::from_str(&serde_json::to_string(&written).unwrap()).unwrap();
        let exponent = |of: &Assessment| match &of.outcome {
            Assessed::Measured(measured) => measured.exponent.as_ref().unwrap().value,
            Assessed::Missing(reason) => panic!("{reason}"),
        };
        assert!((exponent(&read) - exponent(&written)).abs() < 1e-15);
        assert_eq!(Assessment { outcome: written.outcome.clone(), ..read }, written);
    }
}
