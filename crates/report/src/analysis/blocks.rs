//! Intervals of a mean loss from one run in the order of the file: batch means over blocks of consecutive rounds.
//!
//! The rounds between checkpoints are joined to blocks of at least a twentieth of the run. With block lengths L_i, means
//! m_i and the mean m of all n rounds, s^2 = sum L_i (m_i - m)^2 / (k - 1) estimates the long-run variance of a round,
//! and the interval is m +- t_{k-1} s / sqrt(n). It allows for losses that depend on the rounds shortly before, and a
//! loss that falls while the learner learns makes it wider. Source: S. Asmussen, P. Glynn, Stochastic Simulation (2007),
//! section IV.5, with blocks of unequal length.

use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::student::two_sided_quantile;
use crate::analysis::summary::{LEVEL, MeanEstimate, estimate, sum};
use crate::trace::cell::TraceRow;

/// The smallest part of a run that is a block.
const PART: u64 = 20;

/// The fewest blocks that give an interval.
const FEWEST: usize = 5;

/// The fewest rounds of a block.
const SHORTEST: u64 = 10;

/// The mean of a sum over rounds, given its value at ascending checkpoints `(t, sum of rounds 1..t)`, with the interval
/// of blocks where there are enough. None without rounds.
pub fn blocks(checkpoints: &[(u64, f64)]) -> Option<MeanEstimate> {
    let &(rounds, total) = checkpoints.last().filter(|(t, _)| *t > 0)?;
    let shortest = rounds.div_ceil(PART).max(SHORTEST);
    let mut parts: Vec<(u64, f64)> = Vec::new();
    let (mut begin, mut before) = (0, 0.0);
    for &(t, at) in checkpoints {
        if t - begin >= shortest {
            parts.push((t - begin, at - before));
            (begin, before) = (t, at);
        }
    }
    if begin < rounds {
        // The rest is too short for a block of its own.
        let rest = (rounds - begin, total - before);
        match parts.last_mut() {
            Some(last) => *last = (last.0 + rest.0, last.1 + rest.1),
            None => parts.push(rest),
        }
    }
    let mean = total / rounds as f64;
    let half_width = (parts.len() >= FEWEST).then(|| {
        let freedom = parts.len() as u64 - 1;
        let spread = sum(parts.iter().map(|(length, part)| {
            let length = *length as f64;
            length * (part / length - mean).powi(2)
        }));
        // The level and the degrees of freedom are in range, so the quantile exists.
        let quantile = two_sided_quantile(freedom, LEVEL).unwrap_or(f64::NAN);
        quantile * (spread / freedom as f64 / rounds as f64).sqrt()
    });
    Some(MeanEstimate { mean, half_width, count: parts.len() })
}

/// A cumulative quantity of runs of the same rows in the order of their file (the seeds of a learner that draws random
/// numbers).
pub(crate) struct FileOrder {
    /// The mean of the runs at their checkpoints.
    mean: Vec<(u64, f64)>,
    /// The last value of each run, per round.
    ends: Vec<f64>,
}

impl FileOrder {
    /// None where rows came in another order, or a run has no such quantity.
    pub(crate) fn of(
        experiment: &ExperimentResults,
        runs: &[&RunResult],
        cumulative: impl Fn(&TraceRow) -> Option<f64>,
    ) -> Option<Self> {
        if runs.is_empty() || !runs.iter().all(|run| run.in_file_order) {
            return None;
        }
        let (mut mean, mut ends): (Vec<(u64, f64)>, Vec<f64>) = Default::default();
        for run in runs {
            let points = experiment.checkpoints.get(&run.run_id)?.iter();
            let points: Vec<(u64, f64)> = points.map(|at| Some((at.t, cumulative(at)?))).collect::<Option<_>>()?;
            if mean.is_empty() {
                mean = points.iter().map(|(t, _)| (*t, 0.0)).collect();
            }
            // Runs of the same length have the same checkpoints.
            mean.iter_mut().zip(&points).for_each(|(mean, at)| mean.1 += at.1 / runs.len() as f64);
            ends.extend(points.last().map(|(t, sum)| sum / *t as f64));
        }
        Some(Self { mean, ends })
    }

    /// The mean per round, with the interval of blocks of rows, or that over seeds where it is wider: blocks of the mean
    /// run do not know how far seeds differ.
    pub(crate) fn estimate(&self) -> Option<MeanEstimate> {
        blocks(&self.mean).map(|found| widened(found, estimate(&self.ends)))
    }

    /// The same of this quantity minus another one of the same rounds.
    pub(crate) fn minus(&self, other: &Self) -> Option<MeanEstimate> {
        if self.mean.len() != other.mean.len() {
            return None;
        }
        let apart = self.mean.iter().zip(&other.mean).map(|(own, other)| (own.0, own.1 - other.1));
        let mean = apart.collect();
        let ends = self.ends.iter().zip(&other.ends).map(|(own, other)| own - other).collect();
        Self { mean, ends }.estimate()
    }
}

/// `found` with the half width of `seeds`, if that is larger.
pub(crate) fn widened(found: MeanEstimate, seeds: Option<MeanEstimate>) -> MeanEstimate {
    let of_seeds = seeds.and_then(|seeds| seeds.half_width).unwrap_or(0.0);
    MeanEstimate { half_width: found.half_width.map(|width| width.max(of_seeds)), ..found }
}

/// What the half widths of [`FileOrder`] are, for captions.
pub(crate) const METHOD: &str = "a 95 % t interval of the mean over the rows of this one order, from the means of 5 to 20 blocks of \
                          consecutive rounds (batch means), or over seeds where that is wider";

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::protocol::grid::RoundGrid;
    use noregret_numeric::draw::{Draws, Role};

    /// Five blocks of 20 rounds with means 1, 2, 3, 4, 5: mean 3, s^2 = 20 (4 + 1 + 0 + 1 + 4) / 4 = 50, t_4 = 2.776.
    #[test]
    fn interval_by_hand() {
        let checkpoints: Vec<(u64, f64)> =
            [20.0, 60.0, 120.0, 200.0, 300.0].iter().enumerate().map(|(i, sum)| (20 * (i as u64 + 1), *sum)).collect();
        let found = blocks(&checkpoints).unwrap();
        assert_eq!((found.mean, found.count), (3.0, 5));
        let expected = 2.7764451051977987 * (50.0_f64 / 100.0).sqrt();
        assert!((found.half_width.unwrap() - expected).abs() < 1e-9, "{found:?}");
    }

    /// Three seeds with means 1, 2, 3: t_2 = 4.303, standard deviation 1.
    #[test]
    fn the_wider_interval_counts() {
        let blocks = |width| MeanEstimate { mean: 2.0, half_width: width, count: 5 };
        let seeds = estimate(&[1.0, 2.0, 3.0]);
        let wide = widened(blocks(Some(0.1)), seeds).half_width.unwrap();
        assert!((wide - 4.302652729911275 / 3.0_f64.sqrt()).abs() < 1e-9, "{wide}");
        assert_eq!(widened(blocks(Some(9.0)), seeds).half_width, Some(9.0));
        assert_eq!(widened(blocks(Some(0.1)), estimate(&[2.0])).half_width, Some(0.1));
        assert_eq!(widened(blocks(None), seeds).half_width, None);
    }

    #[test]
    fn few_rounds_have_a_mean_and_no_interval() {
        assert_eq!(blocks(&[]), None);
        assert_eq!(blocks(&[(1, 2.0), (4, 8.0)]), Some(MeanEstimate { mean: 2.0, half_width: None, count: 1 }));
    }

    /// The losses of a round are 0.7 of those before plus noise. 1000 runs of 4000 rounds; the coverage of the nominal
    /// 95 % lies within 92.5 % and 97.5 %, which a coverage of 95 % misses with probability below 1e-3.
    #[test]
    fn intervals_cover_the_mean_of_dependent_losses() {
        let (rounds, runs) = (4000, 1000);
        let grid = RoundGrid::default().rounds(rounds);
        let covered = (0..runs).filter(|run| {
            let draw = &mut Draws::named(&["blocks"]).at(Role::Example, *run);
            let (mut state, mut total) = (draw.normal() / (1.0 - 0.49_f64).sqrt(), 0.0);
            let mut kept = Vec::new();
            for t in 1..=rounds {
                state = 0.7 * state + draw.normal();
                total += state;
                if grid.binary_search(&t).is_ok() {
                    kept.push((t, total));
                }
            }
            let found = blocks(&kept).unwrap();
            found.mean.abs() <= found.half_width.unwrap()
        });
        let coverage = covered.count() as f64 / runs as f64;
        assert!((0.925..=0.975).contains(&coverage), "{coverage}");
    }
}
