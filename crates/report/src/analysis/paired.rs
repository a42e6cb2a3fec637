//! The difference of the losses of two learners on one stream, with an interval: over replicates, where three or more
//! played the rows in orders of their own, else over blocks of consecutive rounds of the mean run.

use crate::analysis::blocks::{blocks, widened};
use crate::analysis::board::{BoardStream, ChosenRun, LossPart, Outcome, lost};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::summary::{MeanEstimate, estimate};

/// The fewest replicates whose differences give an interval.
const REPLICATES: usize = 3;

/// What the data say of a learner beside another one on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairedOutcome {
    /// It loses less: the interval of the difference lies below 0, or the other one diverged.
    Win,
    /// The interval holds 0, there is none, or both diverged.
    Tie,
    /// It loses more.
    Loss,
}

/// The outcome of entry `one` beside `other`, with the mean difference of their losses per round where both were played.
/// None where one of them has no result.
pub(crate) fn outcome(
    stream: &BoardStream<'_>,
    one: usize,
    other: usize,
) -> Option<(PairedOutcome, Option<MeanEstimate>)> {
    match (stream.outcomes.get(one)?, stream.outcomes.get(other)?) {
        (Outcome::Played(ours), Outcome::Played(theirs)) => {
            let found = difference(ours, theirs, &stream.loss)?;
            let outcome = match found.half_width {
                Some(half) if found.mean + half < 0.0 => PairedOutcome::Win,
                Some(half) if found.mean - half > 0.0 => PairedOutcome::Loss,
                _ => PairedOutcome::Tie,
            };
            Some((outcome, Some(found)))
        }
        (Outcome::Diverged, Outcome::Diverged) => Some((PairedOutcome::Tie, None)),
        (Outcome::Played(_), Outcome::Diverged) => Some((PairedOutcome::Win, None)),
        (Outcome::Diverged, Outcome::Played(_)) => Some((PairedOutcome::Loss, None)),
        _ => None,
    }
}

/// (a - b) / (a + b), which has the order of the log of a / b, and is defined where a loss is 0 or infinite.
pub(crate) fn contrast([a, b]: [f64; 2]) -> f64 {
    match (a.is_infinite(), b.is_infinite()) {
        (true, true) => 0.0,
        (true, false) => 1.0,
        (false, true) => -1.0,
        (false, false) if a == b => 0.0,
        (false, false) => (a - b) / (a.abs() + b.abs()),
    }
}

/// The mean over rounds, and over the replicates that both have, of the difference of their losses.
fn difference(ours: &[ChosenRun<'_>], theirs: &[ChosenRun<'_>], loss: &RunQuantity) -> Option<MeanEstimate> {
    let partner = |one: &ChosenRun<'_>| theirs.iter().find(|other| other.run.replicate == one.run.replicate).copied();
    let pairs: Vec<(ChosenRun<'_>, ChosenRun<'_>)> =
        ours.iter().filter_map(|one| Some((*one, partner(one)?))).collect();
    let mean = |run: &ChosenRun<'_>| run.mean_loss(loss, LossPart::All);
    let differences: Vec<f64> =
        pairs.iter().map(|(one, other)| Some(mean(one)? - mean(other)?)).collect::<Option<_>>()?;
    let enough = differences.len() >= REPLICATES;
    let in_file_order = pairs.iter().any(|(one, other)| one.run.in_file_order && other.run.in_file_order);
    if enough && !in_file_order {
        return estimate(&differences);
    }
    let found = blocks(&mean_difference(&pairs, loss))?;
    // Seeds of rows in the order of their file say nothing of other rows, but blocks do not know how far seeds differ.
    Some(if enough { widened(found, estimate(&differences)) } else { found })
}

/// The sum of differences up to each checkpoint that all runs have, as its mean over the pairs.
fn mean_difference(pairs: &[(ChosenRun<'_>, ChosenRun<'_>)], loss: &RunQuantity) -> Vec<(u64, f64)> {
    let at = |run: &ChosenRun<'_>, t: u64| {
        let row = run.rows.binary_search_by_key(&t, |row| row.t).ok()?;
        lost(loss, &run.rows[row])
    };
    let rounds = pairs.first().map_or(&[][..], |(one, _)| one.rows).iter().map(|row| row.t).filter(|t| *t > 0);
    let mean = |t: u64| {
        let sums = pairs.iter().map(|(one, other)| Some(at(one, t)? - at(other, t)?));
        Some((t, sums.sum::<Option<f64>>()? / pairs.len() as f64))
    };
    rounds.filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::board::tests::{board, runs};
    use noregret_numeric::draw::{Draws, Role};

    /// Runs of 1000 rounds: `b` loses 0.1 more in every round, give or take noise that both share.
    fn apart(gap: f64, replicates: u64, in_file_order: bool) -> Option<(PairedOutcome, Option<MeanEstimate>)> {
        let mut all = Vec::new();
        for replicate in 0..replicates {
            let draw = &mut Draws::named(&["paired"]).at(Role::Example, replicate);
            let shared: Vec<f64> = (0..1000).map(|_| draw.normal().powi(2)).collect();
            let mut own = |gap: f64| shared.iter().map(|one| one + gap + 0.3 * draw.normal()).collect::<Vec<f64>>();
            let (a, b) = (own(0.0), own(gap));
            all.push(runs("s", "a", replicate, in_file_order, &a));
            all.push(runs("s", "b", replicate, in_file_order, &b));
        }
        let experiment = board(all);
        let found = crate::analysis::board::Board::new(&[&experiment], &Default::default());
        outcome(&found.streams[0], 0, 1)
    }

    #[test]
    fn what_is_lower_in_every_block_or_replicate_wins() {
        for (replicates, in_file_order) in [(1, false), (1, true), (2, false), (3, false), (4, true)] {
            let (won, found) = apart(0.1, replicates, in_file_order).unwrap();
            assert_eq!(won, PairedOutcome::Win, "{replicates} {found:?}");
            assert!((found.unwrap().mean + 0.1).abs() < 0.05, "{found:?}");
            assert_eq!(apart(-0.1, replicates, in_file_order).unwrap().0, PairedOutcome::Loss);
        }
        // Of three orders, the interval is that over the replicates.
        assert_eq!(apart(0.1, 3, false).unwrap().1.unwrap().count, 3);
    }

    #[test]
    fn a_divergence_loses_and_a_failure_is_no_result() {
        use crate::trace::cell::EndStatus;
        let (a, mut b) = (runs("s", "a", 0, true, &[1.0; 40]), runs("s", "b", 0, true, &[1.0; 40]));
        let judged = |status, b: &mut (_, Vec<_>)| {
            let (run, rows): &mut (crate::analysis::record::RunResult, Vec<_>) = b;
            run.status = status;
            let experiment = board(vec![a.clone(), (run.clone(), rows.clone())]);
            let found = crate::analysis::board::Board::new(&[&experiment], &Default::default());
            outcome(&found.streams[0], 0, 1).map(|found| found.0)
        };
        assert_eq!(judged(EndStatus::Diverged, &mut b), Some(PairedOutcome::Win));
        assert_eq!(judged(EndStatus::Failed, &mut b), None);
        assert_eq!(judged(EndStatus::Done, &mut b), Some(PairedOutcome::Tie));
    }

    #[test]
    fn contrasts_by_hand() {
        let known = [([1.0, 3.0], -0.5), ([0.0, 0.0], 0.0), ([0.0, 2.0], -1.0), ([f64::INFINITY, 1.0], 1.0)];
        assert!(known.iter().all(|(pair, expected)| contrast(*pair) == *expected));
        assert_eq!((contrast([1.0, f64::INFINITY]), contrast([f64::INFINITY; 2])), (-1.0, 0.0));
    }

    /// 2000 streams of 2000 rounds on which both lose alike, with dependent rounds: at most 7 % are called won or lost,
    /// where 5 % are meant; 6.5 % are exceeded at 5 % with probability below 1e-2.
    #[test]
    fn equal_learners_tie() {
        let called = (0..2000).filter(|stream| {
            let draw = &mut Draws::named(&["paired", "tie"]).at(Role::Example, *stream);
            let mut state = 0.0;
            let mut own = || {
                let losses = (0..2000).map(|_| {
                    state = 0.5 * state + draw.normal();
                    state
                });
                losses.collect::<Vec<f64>>()
            };
            let (a, b) = (own(), own());
            let experiment = board(vec![runs("s", "a", 0, true, &a), runs("s", "b", 0, true, &b)]);
            let found = crate::analysis::board::Board::new(&[&experiment], &Default::default());
            outcome(&found.streams[0], 0, 1).is_some_and(|found| found.0 != PairedOutcome::Tie)
        });
        let rate = called.count() as f64 / 2000.0;
        assert!((0.02..=0.07).contains(&rate), "{rate}");
    }
}
