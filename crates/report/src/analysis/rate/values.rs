//! The values of a row, taken from the runs of its experiment.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::rate::row::RateRow;
use crate::analysis::rate::sample::RateSample;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::summary::ReplicateTally;
use crate::trace::cell::EndStatus;

/// The values of a row, and the runs that they are of.
#[derive(Debug)]
pub(crate) struct MeasuredValues<'a> {
    /// The values.
    pub sample: RateSample,
    /// The runs, in the shape of the sample's values.
    pub runs: Vec<Vec<&'a RunResult>>,
    /// How the replicates ended.
    pub(crate) tally: ReplicateTally,
}

/// The runs of a label on the row's stream.
fn runs<'a>(row: &RateRow, label: &str, experiment: &'a ExperimentResults) -> Result<Vec<&'a RunResult>, String> {
    let name = &experiment.name;
    let of_label: Vec<&RunResult> = experiment.runs.iter().filter(|run| run.label == label).collect();
    if of_label.is_empty() {
        let labels: BTreeSet<&str> = experiment.runs.iter().map(|run| run.label.as_str()).collect();
        let labels = labels.into_iter().collect::<Vec<_>>().join(", ");
        return Err(format!("experiment {name} has no curve `{label}`; curves: {labels}"));
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
    let runs: Vec<&RunResult> = of_label.into_iter().filter(|run| run.stream == stream).collect();
    match row.horizons.iter().find(|horizon| runs.iter().all(|run| run.horizon != **horizon)) {
        _ if runs.is_empty() => Err(format!("`{label}` was not run on the stream `{stream}` in experiment {name}")),
        Some(horizon) => Err(format!("experiment {name} has no runs of `{label}` at horizon {horizon}")),
        None => Ok(runs),
    }
}

/// Takes the values of the row's quantity from the runs of a label. Replicates that lack a value at some horizon are
/// left out and counted.
///
/// # Errors
/// Why there are no values.
pub(crate) fn values<'a>(
    row: &RateRow,
    label: &str,
    experiment: &'a ExperimentResults,
) -> Result<MeasuredValues<'a>, String> {
    let mut found: BTreeMap<u64, BTreeMap<u64, (f64, &RunResult)>> = BTreeMap::new();
    let mut ends: BTreeMap<u64, ReplicateTally> = BTreeMap::new();
    let mut reason = None;
    for run in runs(row, label, experiment)?.into_iter().filter(|run| row.horizons.contains(&run.horizon)) {
        let end = ends.entry(run.replicate).or_default();
        let value = row.quantity.at_end(experiment, run).filter(|value| value.is_finite());
        match (run.status, value) {
            (EndStatus::Done, Some(value)) => {
                found.entry(run.replicate).or_default().insert(run.horizon, (value, run));
            }
            (EndStatus::Done, None) => {
                end.missing += 1;
                reason.get_or_insert_with(|| {
                    format!("no value of \u{201c}{}\u{201d} in the runs of `{label}`", row.quantity.title())
                });
            }
            _ => {
                end.add(run);
                reason.get_or_insert_with(|| run.detail.clone().unwrap_or_else(|| "a run did not end".into()));
            }
        }
    }
    let complete = |values: &BTreeMap<u64, (f64, &RunResult)>| values.len() == row.horizons.len();
    let mut tally = ReplicateTally::default();
    for (replicate, end) in &mut ends {
        end.missing += usize::from(!found.get(replicate).is_some_and(complete));
        tally.add_replicate(end);
    }
    found.retain(|_, values| complete(values));
    if found.is_empty() {
        return Err(reason.unwrap_or_else(|| format!("no replicate of `{label}` was run at every horizon")));
    }
    let sample = RateSample {
        horizons: row.horizons.clone(),
        replicates: found.keys().copied().collect(),
        values: found.values().map(|values| values.values().map(|(value, _)| *value).collect()).collect(),
    };
    let runs = found.into_values().map(|values| values.into_values().map(|(_, run)| run).collect()).collect();
    Ok(MeasuredValues { sample, runs, tally })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};

    /// Failed before diverged before missing, whatever the other horizons of the replicate say.
    #[test]
    fn replicates_are_counted_by_the_worst_of_their_ends() {
        let (row, mut experiment) = (row(ROW), experiment());
        let all = values(&row, "A", &experiment).unwrap().tally.total();
        let ends = [(0, 1000, EndStatus::Failed), (0, 3000, EndStatus::Diverged), (1, 1000, EndStatus::Diverged)];
        for (replicate, horizon, status) in ends {
            let same = |run: &&mut RunResult| (run.replicate, run.horizon) == (replicate, horizon);
            experiment.runs.iter_mut().find(same).unwrap().status = status;
        }
        experiment.runs.retain(|run| (run.replicate, run.horizon) != (2, 1000));
        let tally = values(&row, "A", &experiment).unwrap().tally;
        assert_eq!((tally.failed, tally.diverged, tally.missing, tally.done), (1, 1, 1, all - 3));
    }
}
