//! Means over replicates with their intervals, and how many replicates stand behind them.

use serde::{Deserialize, Serialize};

use crate::analysis::record::RunResult;
use crate::analysis::student::two_sided_quantile;
use crate::trace::cell::EndStatus;
use noregret_numeric::linalg::sum::Sum;

/// The level of every interval that figures and tables show.
pub(crate) const LEVEL: f64 = 0.95;

/// A mean over replicates with its two-sided Student interval, at [`LEVEL`] unless something else is said: mean +-
/// half_width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanEstimate {
    /// The mean.
    pub mean: f64,
    /// t_{n-1} s / sqrt(n), s the sample standard deviation; none from a single value.
    pub half_width: Option<f64>,
    /// The number n of values.
    pub count: usize,
}

/// The estimate from one value per replicate; none without values.
pub fn estimate(values: &[f64]) -> Option<MeanEstimate> {
    estimate_among(values, 1)
}

/// [`estimate`] with an interval so wide that all of `intervals` like it hold together at [`LEVEL`] (Bonferroni): each
/// fails with probability (1 - LEVEL) / intervals at most.
pub(crate) fn estimate_among(values: &[f64], intervals: usize) -> Option<MeanEstimate> {
    let count = values.len();
    if count == 0 {
        return None;
    }
    let mean = sum(values.iter().copied()) / count as f64;
    let half_width = (count > 1).then(|| {
        let freedom = count as u64 - 1;
        let variance = sum(values.iter().map(|value| (value - mean).powi(2))) / freedom as f64;
        let level = 1.0 - (1.0 - LEVEL) / intervals.max(1) as f64;
        let level = if intervals > 1 { level } else { LEVEL };
        // The level and the degrees of freedom are in range, so the quantile exists.
        two_sided_quantile(freedom, level).unwrap_or(f64::NAN) * (variance / count as f64).sqrt()
    });
    Some(MeanEstimate { mean, half_width, count })
}

/// A compensated sum.
pub(crate) fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut total = Sum::default();
    values.for_each(|value| total.add(value));
    total.value()
}

/// How the replicates of one curve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplicateTally {
    /// Played to the horizon.
    pub(crate) done: usize,
    /// Ended early: a non-finite prediction or a breakdown of the learner.
    pub(crate) diverged: usize,
    /// Did not run to an end: an error of the program or its data.
    pub failed: usize,
    /// Without the value that is asked for: not made, not measured, or not applicable.
    pub missing: usize,
}

impl ReplicateTally {
    /// Counts one run. One that was not tried did not fail.
    pub(crate) fn add(&mut self, run: &RunResult) {
        match run.status {
            EndStatus::Done => self.done += 1,
            EndStatus::Diverged => self.diverged += 1,
            EndStatus::Failed if run.is_untried() => self.missing += 1,
            EndStatus::Failed => self.failed += 1,
        }
    }

    /// Counts a replicate whose runs, one for each horizon, ended like this: it is done if all of them are.
    pub(crate) fn add_replicate(&mut self, runs: &Self) {
        match runs {
            Self { failed: 1.., .. } => self.failed += 1,
            Self { diverged: 1.., .. } => self.diverged += 1,
            Self { missing: 1.., .. } => self.missing += 1,
            _ => self.done += 1,
        }
    }

    /// All replicates that were asked for.
    pub(crate) fn total(&self) -> usize {
        self.done + self.diverged + self.failed + self.missing
    }

    /// Whether every replicate was played to its horizon.
    pub(crate) fn complete(&self) -> bool {
        self.done == self.total()
    }
}

impl std::fmt::Display for ReplicateTally {
    /// `5 of 5 replicates`; `18 of 20 replicates; 1 diverged, 1 failed`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.total() == 1 { "replicate" } else { "replicates" };
        write!(f, "{} of {} {word}", self.done, self.total())?;
        let reasons = [(self.diverged, "diverged"), (self.failed, "failed"), (self.missing, "missing")];
        let mut separator = "; ";
        for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {reason}")?;
            separator = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ReplicateTally, estimate, estimate_among};

    /// 2, 4, 4, 6: mean 4, variance 8/3, standard error sqrt(2/3), t_3 = 3.18244630528371.
    #[test]
    fn mean_and_interval_by_hand() {
        let found = estimate(&[2.0, 4.0, 4.0, 6.0]).unwrap();
        assert_eq!((found.mean, found.count), (4.0, 4));
        let expected = 3.1824463052837078 * (2.0_f64 / 3.0).sqrt();
        assert!((found.half_width.unwrap() - expected).abs() < 1e-12);
    }

    /// t_3 at level 1 - 0.05 / 5 = 0.99 is 5.84090930973321.
    #[test]
    fn several_intervals_hold_together() {
        let expected = 5.840909309733215 * (2.0_f64 / 3.0).sqrt();
        let found = estimate_among(&[2.0, 4.0, 4.0, 6.0], 5).unwrap().half_width.unwrap();
        assert!((found - expected).abs() < 1e-11, "{found} {expected}");
    }

    #[test]
    fn one_value_has_no_interval_and_none_no_mean() {
        assert_eq!(estimate(&[7.5]).unwrap().half_width, None);
        assert_eq!(estimate(&[7.5]).unwrap().mean, 7.5);
        assert!(estimate(&[]).is_none());
    }

    #[test]
    fn sums_are_compensated() {
        assert_eq!(estimate(&[1.0, 1e100, 1.0, -1e100]).unwrap().mean, 0.5);
    }

    #[test]
    fn tallies_in_words() {
        assert_eq!(ReplicateTally { done: 5, ..ReplicateTally::default() }.to_string(), "5 of 5 replicates");
        assert_eq!(ReplicateTally { done: 1, ..ReplicateTally::default() }.to_string(), "1 of 1 replicate");
        let mixed = ReplicateTally { done: 18, diverged: 1, failed: 1, missing: 0 };
        assert_eq!(mixed.to_string(), "18 of 20 replicates; 1 diverged, 1 failed");
        assert!(!mixed.complete());
        assert_eq!(
            ReplicateTally { missing: 3, ..ReplicateTally::default() }.to_string(),
            "0 of 3 replicates; 3 missing"
        );
    }
}
