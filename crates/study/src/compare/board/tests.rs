//! Rankings and pictures of losses that are known.

use super::*;
use crate::compare::played::{LossSums, marks};
use noregret_numeric::draw::{Draws, Role};

const ROWS: u64 = 400;

/// An entrant whose losses are these, row by row, for each seed.
fn entrant(learner: &str, baseline: bool, losses: &[&dyn Fn(u64) -> f64]) -> PlayedLearner {
    let run = |(seed, loss): (usize, &&dyn Fn(u64) -> f64)| {
        let (mut played, mut part) = (RunOutcome { rounds: ROWS, ..RunOutcome::default() }, LossSums::default());
        for round in 1..=ROWS {
            part.squared += loss(round);
            if marks(ROWS).contains(&round) {
                played.parts.push((round, std::mem::take(&mut part)));
            }
        }
        (seed as u32, played)
    };
    let runs = losses.iter().enumerate().map(run).collect();
    let (setting, parameters, always, short) = (0, String::new(), baseline, None);
    PlayedLearner { learner: learner.into(), setting, parameters, baseline, always, runs, short }
}

fn noise(name: &str, round: u64) -> f64 {
    Draws::named(&["board", name]).at(Role::Example, round).normal()
}

fn board(entrants: &[PlayedLearner]) -> Leaderboard {
    ranked(entrants, ROWS, CompareMetric::Squared, false)
}

/// The choosing half does not count: what is best there is last where it matters.
#[test]
fn the_second_half_ranks() {
    let early = entrant("early", false, &[&|t| if t <= ROWS / 2 { 0.0 } else { 3.0 + 0.1 * noise("a", t) }]);
    let late = entrant("late", false, &[&|t| if t <= ROWS / 2 { 9.0 } else { 1.0 + 0.1 * noise("b", t) }]);
    let base = entrant("running-mean", true, &[&|t| 2.0 + 0.1 * noise("c", t)]);
    let found = board(&[early, late, base]);
    let names: Vec<&str> = found.leaderboard.iter().map(|line| line.learner.as_str()).collect();
    assert_eq!(names, ["late", "running-mean", "early"]);
    assert_eq!(found.winner.as_deref(), Some("late"));
    assert!((found.leaderboard[0].loss_choosing.unwrap() - 9.0).abs() < 1e-9);
    assert!((found.leaderboard[0].loss.unwrap() - 1.0).abs() < 0.05);
    assert_eq!(found.leaderboard[2].place, BoardPlace::Behind);
}

/// Losses that go up and down together differ by little: the interval is that of the differences.
#[test]
fn intervals_are_paired_and_ties_are_called_ties() {
    let common = |t| 10.0 + 5.0 * noise("common", t);
    let best = entrant("best", false, &[&|t| common(t)]);
    let behind = entrant("behind", false, &[&|t| common(t) + 0.5 + 0.1 * noise("x", t)]);
    let tied = entrant("tied", false, &[&|t| common(t) + 0.05 + 2.0 * noise("y", t)]);
    let base = entrant("running-mean", true, &[&|t| common(t) + 2.0]);
    let found = board(&[tied, behind, best, base]);
    let place = |name: &str| found.leaderboard.iter().find(|line| line.learner == name).unwrap();
    assert_eq!([place("behind").place, place("running-mean").place], [BoardPlace::Behind; 2]);
    assert_eq!([place("best").place, place("tied").place], [BoardPlace::First, BoardPlace::Tie]);
    assert!(found.verdict.contains("contain 0: tied."), "{}", found.verdict);
    // By hand, over the blocks of 10 rows: t_19 = 2.0930.
    let line = place("behind");
    let of = |block: u64| (1..=10).map(|i| 0.1 * noise("x", 200 + 10 * block + i)).sum::<f64>() / 10.0;
    let mean = (0..20).map(of).sum::<f64>() / 20.0;
    let deviation = ((0..20).map(|b| (of(b) - mean).powi(2)).sum::<f64>() / 19.0).sqrt();
    let expected = 2.093_024_054_408_263 * deviation / 20f64.sqrt();
    assert!((line.half_width.unwrap() - expected).abs() < 1e-9, "{line:?} {expected}");
}

/// Differences that drift have blocks that differ: the same spread of rows gives a wider interval than without.
#[test]
fn dependence_makes_intervals_wider() {
    let base = entrant("running-mean", true, &[&|_| 1.0]);
    let wave = |long: bool| {
        move |t: u64| 0.95 + f64::from(u8::from((if long { t / 50 } else { t }).is_multiple_of(2))) * 0.4 - 0.2
    };
    let width = |long| {
        let found = board(&[entrant("a", false, &[&wave(long)]), base.clone()]);
        (found.leaderboard[1].half_width.unwrap(), found.winner.is_some())
    };
    assert!(width(true).0 > 0.05 && !width(true).1, "{:?}", width(true));
    assert!(width(false).0 < 1e-9 && width(false).1, "{:?}", width(false));
}

#[test]
fn the_seeds_count_where_they_differ_more() {
    let base = entrant("running-mean", true, &[&|_| 1.0]);
    let seeds = |spread: f64| {
        let of = |add: f64| move |t: u64| 0.5 + add + 0.01 * noise("z", t);
        board(&[entrant("a", false, &[&of(-spread), &of(0.0), &of(spread)]), base.clone()])
    };
    // t_2 = 4.303, and the deviation is the spread.
    let wide = seeds(0.4);
    assert!((wide.leaderboard[1].half_width.unwrap() - 4.302_652_729_9 * 0.4 / 3f64.sqrt()).abs() < 1e-6);
    assert_eq!((wide.winner, wide.leaderboard[0].seeds.len()), (None, 3));
    assert!(seeds(0.001).winner.is_some());
}

#[test]
fn without_signal_nobody_is_crowned() {
    let base = entrant("running-mean", true, &[&|t| 1.0 + noise("base", t).powi(2)]);
    let lucky = entrant("lucky", false, &[&|t| 0.99 + noise("base", t).powi(2) + 0.5 * noise("luck", t)]);
    let found = board(&[lucky, base.clone()]);
    assert_eq!(found.winner, None);
    assert!(found.verdict.starts_with("No winner"), "{}", found.verdict);
    // A learner that is worse.
    let worse = board(&[entrant("worse", false, &[&|_| 9.0]), base.clone()]);
    assert!(worse.verdict.contains("no learner beats the baseline running-mean"), "{}", worse.verdict);
    // What did not play the rows that judge is not ranked, however low its loss.
    let played = RunOutcome { rounds: 300, ..RunOutcome::default() };
    let cut = PlayedLearner { runs: Vec::new(), short: Some(played), ..entrant("cut", false, &[]) };
    let found = board(&[cut.clone(), base]);
    assert_eq!((found.leaderboard[1].place, found.winner), (BoardPlace::Unranked, None));
    assert!(found.leaderboard[1].why.as_deref().unwrap().contains("cut after 300 of 400"));
    assert!(board(&[cut]).verdict.contains("no learner has played"), "nothing is left");
}

/// The nearest baseline has the least mean, but one behind it may have an interval that contains 0.
#[test]
fn a_winner_beats_every_baseline() {
    let common = |t| 1.0 + noise("base", t).powi(2);
    let best = entrant("best", false, &[&|t| common(t)]);
    let near = entrant("running-mean", true, &[&|t| common(t) + 0.1]);
    let wide = |width: f64| entrant("majority", true, &[&|t| common(t) + 0.2 + width * noise("wide", t)]);
    let found = board(&[best.clone(), near.clone(), wide(0.01)]);
    assert!(found.verdict.contains("the baseline running-mean loses 0.1"), "{}", found.verdict);
    assert_eq!(found.winner.as_deref(), Some("best"));
    let found = board(&[best, near, wide(5.0)]);
    assert_eq!(
        found.leaderboard.iter().map(|line| line.place).collect::<Vec<_>>(),
        [BoardPlace::First, BoardPlace::Behind, BoardPlace::Tie]
    );
    assert_eq!(found.winner, None);
    assert!(found.verdict.contains("the baseline majority loses"), "{}", found.verdict);
    assert!(found.verdict.ends_with("so it is not shown to beat every baseline."), "{}", found.verdict);
}

fn drawable(learner: &str, loss: f64) -> PlayedLearner {
    let sum = |round: u64| loss * round as f64 + (round % 3) as f64;
    let ends = [&[0], &marks(400)[..]].concat();
    let part = |pair: &[u64]| (pair[1], LossSums { squared: sum(pair[1]) - sum(pair[0]), ..LossSums::default() });
    let run = RunOutcome { rounds: 400, parts: ends.windows(2).map(part).collect(), ..RunOutcome::default() };
    let baseline = learner.starts_with("base");
    let (setting, parameters, always) = (0, String::new(), baseline || learner == "auto");
    PlayedLearner { learner: learner.into(), setting, parameters, baseline, always, runs: vec![(0, run)], short: None }
}

#[test]
fn baselines_are_drawn_however_bad_they_are_and_curves_end_at_the_leaderboard() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "base1", "base2", "auto"];
    let entrants: Vec<PlayedLearner> =
        names.iter().zip(1..).map(|(name, loss)| drawable(name, f64::from(loss))).collect();
    let board = ranked(&entrants, 400, CompareMetric::Squared, false);
    let names = drawn(&board);
    assert_eq!(names, ["a", "b", "c", "d", "base1", "base2", "auto"]);
    for (one, line) in entrants.iter().zip(&board.leaderboard) {
        let last = *curve(one, 200, CompareMetric::Squared).last().unwrap();
        assert!(last.0 == 400.0 && (last.1 - line.loss.unwrap()).abs() < 1e-12);
    }
    let drawn = names.into_iter().map(str::to_owned).collect();
    let shown = ShownBoard { board, text: String::new(), drawn, entrants };
    let picture = shown.picture("x", CompareMetric::Squared).unwrap().unwrap();
    for name in ["a", "d", "base1", "auto"] {
        assert!(picture.svg.contains(&format!("data-name=\"{name}\"")), "{name}");
    }
    assert!(!picture.svg.contains("data-name=\"e\"") && picture.png.starts_with(b"\x89PNG"));
}

#[test]
fn nothing_ranked_nothing_drawn() {
    let board = ranked(&[], 400, CompareMetric::Squared, false);
    let shown = ShownBoard { board, text: String::new(), drawn: Vec::new(), entrants: Vec::new() };
    assert!(shown.picture("x", CompareMetric::Squared).unwrap().is_none());
}
