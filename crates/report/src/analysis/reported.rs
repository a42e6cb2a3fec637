//! Losses of other programs on the streams of an experiment, from a file of the project that a script made; and how learners
//! compare with the best of them in hindsight.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::analysis::curve::{LongestRuns, longest_runs};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::summary::{ReplicateTally, estimate, sum};
use crate::error::ProjectFileError;

/// The mean loss of a setting of another program: a line of the file.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ReportedMean {
    /// The dataset.
    pub stream: String,
    /// Over how many of its first rows the loss is the mean.
    pub rows: u64,
    /// What was measured, as in [`ReportedLoss`].
    pub loss: ReportedLoss,
    /// The setting, in words.
    pub setting: String,
    /// The mean loss; empty where the setting was cut before its last row.
    pub mean: Option<f64>,
    /// What its random draws began with.
    pub seed: u64,
    /// The program.
    pub package: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the bytes of the file with the rows.
    pub sha256: String,
}

/// What a mean loss measures.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum ReportedLoss {
    /// The squared error of a forecast.
    #[serde(rename = "squared")]
    Squared,
    /// The share of wrong labels.
    #[serde(rename = "error rate")]
    ErrorRate,
}

impl ReportedLoss {
    /// Its name.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ReportedLoss::Squared => "squared",
            ReportedLoss::ErrorRate => "error rate",
        }
    }

    fn quantity(self) -> RunQuantity {
        match self {
            ReportedLoss::Squared => RunQuantity::AverageLoss,
            ReportedLoss::ErrorRate => RunQuantity::ErrorRate,
        }
    }
}

/// Reads the text of such a file: CSV, with the fields of [`ReportedMean`] as columns.
///
/// # Errors
/// A line that is none, a mean that is negative or no number, or one setting twice.
pub fn read(text: &str) -> Result<Vec<ReportedMean>, ProjectFileError> {
    let odd = |c: &char| c.is_control() && !matches!(c, '\n' | '\r');
    if let Some(odd) = text.chars().find(odd) {
        return Err(format!("the control character U+{:04X} cannot be shown; leave it out", u32::from(odd)).into());
    }
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    for line in csv::Reader::from_reader(text.as_bytes()).deserialize() {
        let line: ReportedMean = line?;
        let ReportedMean { stream, rows, package, setting, loss, .. } = &line;
        let named = format!("{setting} on {rows} rows of {stream}");
        // A loss that overflowed is infinite.
        if line.mean.is_some_and(|mean| mean.is_nan() || mean < 0.0) {
            return Err(format!("{named}: the mean of a loss is at least 0").into());
        }
        if !known.insert((stream.clone(), *rows, package.clone(), setting.clone(), loss.word())) {
            return Err(format!("{named} stands there twice").into());
        }
        all.push(line);
    }
    Ok(all)
}

impl ReportedMean {
    /// Whether it is about these rows.
    fn of(&self, stream: &str, rows: u64) -> bool {
        self.stream == stream && self.rows == rows
    }
}

/// A learner on a stream beside the settings of other programs that played the same rows.
#[derive(Clone, Debug)]
pub(crate) struct ReportedComparison<'a> {
    /// The stream.
    pub stream: &'a str,
    /// The label of the learner.
    pub label: &'a str,
    /// How many rows were played.
    pub rows: u64,
    /// What is compared.
    pub measure: ReportedLoss,
    /// The finished runs of the longest horizon.
    pub runs: Vec<&'a RunResult>,
    /// How these ended.
    pub(crate) tally: ReplicateTally,
    /// The mean losses of these runs.
    pub losses: Vec<f64>,
    /// How many settings played the same rows, and the one with the least loss.
    pub settings: usize,
    /// The best of them.
    pub(crate) best: Option<&'a ReportedMean>,
}

/// Each learner on each stream of the experiments, in their order.
pub(crate) fn compare<'a>(
    experiments: &[&'a ExperimentResults],
    reported: &'a [ReportedMean],
) -> Vec<ReportedComparison<'a>> {
    let one = |longest: LongestRuns<'a>| {
        let found: Vec<&ReportedMean> =
            reported.iter().filter(|line| line.of(longest.stream, longest.rounds)).collect();
        let LongestRuns { stream, label, rounds: rows, tally, ref done, .. } = longest;
        let labelled = done.iter().all(|run| run.cumulative_error.is_some());
        let measure = if labelled && !done.is_empty() { ReportedLoss::ErrorRate } else { ReportedLoss::Squared };
        let found: Vec<&ReportedMean> = found.into_iter().filter(|line| line.loss == measure).collect();
        let played = found.iter().filter_map(|line| Some((line.mean.filter(|mean| mean.is_finite())?, *line)));
        let best = played.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, line)| line);
        let losses = longest.values(&measure.quantity());
        ReportedComparison {
            stream,
            label,
            rows,
            measure,
            tally,
            losses,
            settings: found.len(),
            best,
            runs: longest.done,
        }
    };
    experiments.iter().flat_map(|experiment| longest_runs(experiment)).map(one).collect()
}

impl ReportedComparison<'_> {
    /// The mean loss over the runs.
    pub(crate) fn mean(&self) -> Option<f64> {
        estimate(&self.losses).map(|found| found.mean)
    }

    /// The least and the largest loss of a run.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        let ends = self.losses.iter().map(|loss| (*loss, *loss));
        ends.reduce(|(low, high), (loss, _)| (low.min(loss), high.max(loss)))
    }

    /// A loss over that of the best setting; none where that is 0.
    pub(crate) fn ratio(&self, loss: f64) -> Option<f64> {
        let best = self.best?.mean.filter(|best| *best > 0.0)?;
        Some(loss / best)
    }
}

/// The geometric mean of positive numbers; none without numbers, or where one is not positive.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let positive = !values.is_empty() && values.iter().all(|value| *value > 0.0);
    positive.then(|| (sum(values.iter().map(|value| value.ln())) / values.len() as f64).exp())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::record::tests::run;

    /// Two settings on a stream `law`, one of them cut; a third on other rows.
    pub(crate) const TEXT: &str = "stream,rows,loss,setting,mean,seed,package,version,sha256\n\
                            law,4,squared,slow,,0,p,1,00\n\
                            law,4,squared,good,2,0,p,1,00\n\
                            law,4,squared,wild,inf,0,p,1,00\n\
                            law,4,error rate,other,1,0,p,1,00\n\
                            law,3,squared,good,0.5,0,p,1,00\n";

    /// Runs of the label `a` with these mean losses over four rows.
    pub(crate) fn losses(losses: &[f64]) -> ExperimentResults {
        let one = |(replicate, loss): (usize, &f64)| RunResult {
            average_loss: Some(*loss),
            cumulative_loss: Some(4.0 * loss),
            ..run("a", replicate as u64, 4)
        };
        ExperimentResults {
            name: "e".into(),
            runs: losses.iter().enumerate().map(one).collect(),
            ..ExperimentResults::default()
        }
    }

    #[test]
    fn the_best_is_that_of_the_same_rows_and_loss() {
        let (reported, experiment) = (read(TEXT).unwrap(), losses(&[1.0, 3.0, 1.4]));
        let found = compare(&[&experiment], &reported);
        let [one] = found.as_slice() else { panic!("one learner on one stream") };
        assert_eq!((one.best.unwrap().setting.as_str(), one.settings), ("good", 3));
        assert_eq!((one.mean(), one.range()), (Some(1.8), Some((1.0, 3.0))));
        assert_eq!(one.ratio(3.0), Some(1.5));
        let compared = compare(&[&experiment], &reported[..1]);
        assert!(compared[0].best.is_none() && compared[0].ratio(3.0).is_none());
    }

    #[test]
    fn geometric_means() {
        assert!((geometric_mean(&[0.5, 2.0, 8.0]).unwrap() - 2.0).abs() < 1e-15);
        assert_eq!((geometric_mean(&[]), geometric_mean(&[1.0, 0.0])), (None, None));
    }

    #[test]
    fn wrong_lines_are_refused() {
        for (from, to, why) in [
            ("wild", "good", "good on 4 rows of law stands there twice"),
            ("inf", "-1", "at least 0"),
            ("inf", "NaN", "at least 0"),
            ("inf", "x", "invalid float"),
            ("error rate", "hinge", "hinge"),
            ("sha256", "hash", "hash"),
            ("good", "\u{1b}[31m", "U+001B"),
        ] {
            let refused = read(&TEXT.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(refused.contains(why), "{to}: {refused}");
        }
    }
}
