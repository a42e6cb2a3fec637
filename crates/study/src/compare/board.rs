//! Ranks learners by their losses on rows that did not choose their settings, and says who is no better than whom.
//!
//! The difference of two learners' mean losses over the judging half has a 95 % t interval from the means of 5 to 20 blocks
//! of consecutive rows (batch means of the differences, row by row on the same rows, [`noregret_report::analysis::blocks`]): losses of
//! neighbouring rows depend on each other, and the means of blocks much less. Where a learner draws random numbers, the
//! interval is at least as wide as that over its seeds. Each interval holds by itself.

use serde::Serialize;

use crate::compare::field::Played;
use crate::compare::metric::Metric;
use noregret_report::analysis::blocks::blocks;
use noregret_report::analysis::summary::{Estimate, estimate};

/// What a learner has played.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Its name.
    pub learner: String,
    /// Its setting, by number.
    pub setting: usize,
    /// The parameters that were chosen, in words.
    pub parameters: String,
    /// Whether it looks at no inputs.
    pub baseline: bool,
    /// Its runs over all rows in play, with their seeds, ascending.
    pub runs: Vec<(u32, Played)>,
    /// Its longest run, where none reached the last row.
    pub short: Option<Played>,
}

/// How a learner stands to the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// It has the lowest loss.
    First,
    /// The interval of its difference to the first one contains 0, or there are too few rows for one.
    Tie,
    /// Its loss is higher beyond the interval.
    Behind,
    /// It did not play all rows that judge.
    Unranked,
}

/// A learner with its result, in the units of the file.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The learner.
    pub learner: String,
    /// Its setting, by number.
    #[serde(skip)]
    pub setting: usize,
    /// How it stands to the first one.
    pub place: Place,
    /// The mean of the metric over the rows that judged, and over seeds.
    pub loss: Option<f64>,
    /// How much more that is than the first one's.
    pub difference: Option<f64>,
    /// Half the width of the difference's 95 % interval, where there is one.
    pub half_width: Option<f64>,
    /// The mean over the rows that chose.
    pub loss_choosing: Option<f64>,
    /// The mean of the metric over the rows that judged, for each seed.
    pub seeds: Vec<f64>,
    /// The share of wrong classes on the rows that judged, with two classes.
    pub error_rate: Option<f64>,
    /// Time of one run in the learner.
    pub seconds: Option<f64>,
    /// What the learner holds at the end.
    pub bytes: Option<f64>,
    /// Rows that it played.
    pub rows: u64,
    /// Runs over all of them.
    pub runs: usize,
    /// Whether it looks at no inputs.
    pub baseline: bool,
    /// The parameters that were chosen.
    pub parameters: String,
    /// Why it is not ranked.
    pub why: Option<String>,
}

/// The ranking.
#[derive(Clone, Debug, Serialize)]
pub struct Board {
    /// How many rows chose the settings: the first ones.
    pub chose: u64,
    /// How many rows were played; those after the first half judged.
    pub rows: u64,
    /// The learners, best first; those that are not ranked last.
    pub leaderboard: Vec<Line>,
    /// The learner that beats every baseline beyond the interval, and has the lowest loss.
    pub winner: Option<String>,
    /// What the ranking says, in a sentence or two.
    pub verdict: String,
}

/// The difference of two learners on the rows after `half`.
fn difference(one: &Entrant, other: &Entrant, half: u64, metric: Metric) -> Option<Estimate> {
    let sums = |entrant: &Entrant, round: u64| -> Option<f64> {
        let all = entrant.runs.iter().map(|(_, run)| Some(run.at(round)?.of(metric)));
        Some(all.collect::<Option<Vec<_>>>()?.iter().sum::<f64>() / entrant.runs.len().max(1) as f64)
    };
    let before = sums(one, half)? - sums(other, half)?;
    let marks = one.runs.first()?.1.marks.iter().map(|(round, _)| *round).filter(|round| *round > half);
    let points: Option<Vec<(u64, f64)>> =
        marks.map(|round| Some((round - half, sums(one, round)? - sums(other, round)? - before))).collect();
    let found = blocks(&points?)?;
    // Seeds are paired where both have them.
    let mean = |entrant: &Entrant, seed: u32| {
        let own = entrant.runs.iter().find(|(of, _)| *of == seed).map(|(_, run)| judged(run, half, metric));
        own.unwrap_or_else(|| losses(entrant, half, metric).map(|found| found.mean))
    };
    let seeds = if one.runs.len() >= other.runs.len() { one } else { other };
    let over: Option<Vec<f64>> =
        seeds.runs.iter().map(|(seed, _)| Some(mean(one, *seed)? - mean(other, *seed)?)).collect();
    let wide = estimate(&over?).and_then(|found| found.half_width).unwrap_or(0.0);
    Some(Estimate { half_width: found.half_width.map(|width| width.max(wide)), ..found })
}

/// The mean of a run over the rows after `half`.
fn judged(run: &Played, half: u64, metric: Metric) -> Option<f64> {
    let rows = run.rounds.checked_sub(half).filter(|rows| *rows > 0)?;
    Some((run.total.of(metric) - run.at(half)?.of(metric)) / rows as f64)
}

fn losses(entrant: &Entrant, half: u64, metric: Metric) -> Option<Estimate> {
    estimate(&entrant.runs.iter().map(|(_, run)| judged(run, half, metric)).collect::<Option<Vec<_>>>()?)
}

fn contains_zero(found: &Estimate) -> bool {
    found.half_width.is_none_or(|width| found.mean.abs() <= width)
}

/// Ranks entrants over `rows` rows, of which the first half chose. `classes` says whether targets are classes.
pub fn ranked(entrants: &[Entrant], rows: u64, metric: Metric, classes: bool) -> Board {
    let half = rows / 2;
    let mut order: Vec<(f64, &Entrant)> = Vec::new();
    let mut rest = Vec::new();
    for entrant in entrants {
        match losses(entrant, half, metric) {
            Some(found) if found.mean.is_finite() => order.push((found.mean, entrant)),
            _ => rest.push(entrant),
        }
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.learner.cmp(&b.1.learner)));
    let played = |entrant: &Entrant| entrant.short.as_ref().map_or(0, |run| run.rounds);
    rest.sort_by(|a, b| played(b).cmp(&played(a)).then_with(|| a.learner.cmp(&b.learner)));
    let first = order.first().map(|(_, entrant)| *entrant);
    let line = |entrant: &Entrant| {
        let mean = |of: &dyn Fn(&Played) -> Option<f64>| {
            let values: Vec<f64> = entrant.runs.iter().filter_map(|(_, run)| of(run)).collect();
            estimate(&values).map(|found| found.mean)
        };
        let found =
            first.filter(|_| !entrant.runs.is_empty()).and_then(|first| difference(entrant, first, half, metric));
        let place = match (&found, first) {
            _ if entrant.runs.is_empty() => Place::Unranked,
            (_, Some(first)) if std::ptr::eq(first, entrant) => Place::First,
            (Some(found), _) if !contains_zero(found) => Place::Behind,
            _ => Place::Tie,
        };
        let ranked = place != Place::First;
        Line {
            learner: entrant.learner.clone(),
            setting: entrant.setting,
            place,
            loss: losses(entrant, half, metric).map(|found| found.mean),
            difference: found.as_ref().filter(|_| ranked).map(|found| found.mean),
            half_width: found.as_ref().filter(|_| ranked).and_then(|found| found.half_width),
            loss_choosing: mean(&|run| Some(run.at(half)?.of(metric) / half.max(1) as f64)),
            seeds: entrant.runs.iter().filter_map(|(_, run)| judged(run, half, metric)).collect(),
            error_rate: mean(&|run| judged(run, half, Metric::Error)).filter(|_| classes),
            seconds: mean(&|run| Some(run.seconds)),
            bytes: mean(&|run| run.bytes),
            rows: if entrant.runs.is_empty() { played(entrant) } else { rows },
            runs: entrant.runs.len(),
            baseline: entrant.baseline,
            parameters: entrant.parameters.clone(),
            why: (place == Place::Unranked).then(|| match entrant.short.as_ref().and_then(|run| run.over.clone()) {
                Some(why) => format!("it broke down after {} rows: {why}", played(entrant)),
                None if played(entrant) == 0 => format!("no time was left to play {rows} rows"),
                None => format!("it was cut after {} of {rows} rows", played(entrant)),
            }),
        }
    };
    let leaderboard: Vec<Line> = order.iter().map(|(_, entrant)| *entrant).chain(rest).map(line).collect();
    let (winner, verdict) = verdict(&order, &leaderboard, half, metric);
    Board { chose: half, rows, leaderboard, winner, verdict }
}

/// Who wins, and why, or why nobody does.
fn verdict(order: &[(f64, &Entrant)], lines: &[Line], half: u64, metric: Metric) -> (Option<String>, String) {
    let Some((_, first)) = order.first() else {
        return (None, "No winner: no learner has played all rows that judge.".into());
    };
    let Some((_, baseline)) = order.iter().find(|(_, entrant)| entrant.baseline) else {
        return (
            None,
            "No winner: no baseline has played all rows that judge, so nothing is known to beat one.".into(),
        );
    };
    let (best, base) = (&first.learner, &baseline.learner);
    if first.baseline {
        return (None, format!("No winner: no learner beats the baseline {base} on the rows that judged."));
    }
    let Some((found, width)) =
        difference(baseline, first, half, metric).and_then(|found| Some((found.mean, found.half_width?)))
    else {
        let few = format!("{half} rows that judge are too few for an interval; it takes 50, and as many that choose");
        return (None, format!("No winner: {best} is ahead of the baseline {base}, but {few}."));
    };
    let ahead = format!("the baseline {base} loses {} more", noregret_report::number::plus_minus(found, Some(width)));
    if found <= width {
        let why = "the interval contains 0, so this file shows no signal that a learner could use";
        return (None, format!("No winner: {best} has the lowest loss, and {ahead}: {why}."));
    }
    let ties: Vec<&str> =
        lines.iter().filter(|line| line.place == Place::Tie).map(|line| line.learner.as_str()).collect();
    let ties = match ties.as_slice() {
        [] => "No other learner ties with it.".to_owned(),
        ties => format!("Ties with it, since the intervals of the differences contain 0: {}.", ties.join(", ")),
    };
    (Some(best.clone()), format!("Winner: {best}; {ahead}. {ties}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::field::marks;
    use crate::compare::metric::Sums;
    use noregret_numeric::draw::{Draws, Role};

    const ROWS: u64 = 400;

    /// An entrant whose losses are these, row by row, for each seed.
    fn entrant(learner: &str, baseline: bool, losses: &[&dyn Fn(u64) -> f64]) -> Entrant {
        let run = |(seed, loss): (usize, &&dyn Fn(u64) -> f64)| {
            let mut played = Played { rounds: ROWS, ..Played::default() };
            for round in 1..=ROWS {
                played.total.squared += loss(round);
                if marks(ROWS).contains(&round) {
                    played.marks.push((round, played.total));
                }
            }
            (seed as u32, played)
        };
        let runs = losses.iter().enumerate().map(run).collect();
        let (setting, parameters, short) = (0, String::new(), None);
        Entrant { learner: learner.into(), setting, parameters, baseline, runs, short }
    }

    fn noise(name: &str, round: u64) -> f64 {
        Draws::named(&["board", name]).at(Role::Example, round).normal()
    }

    fn board(entrants: &[Entrant]) -> Board {
        ranked(entrants, ROWS, Metric::Squared, false)
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
        assert_eq!(found.leaderboard[2].place, Place::Behind);
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
        assert_eq!([place("behind").place, place("running-mean").place], [Place::Behind; 2]);
        assert_eq!([place("best").place, place("tied").place], [Place::First, Place::Tie]);
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
        let played = Played { rounds: 300, total: Sums::default(), ..Played::default() };
        let cut = Entrant { runs: Vec::new(), short: Some(played), ..entrant("cut", false, &[]) };
        let found = board(&[cut.clone(), base]);
        assert_eq!((found.leaderboard[1].place, found.winner), (Place::Unranked, None));
        assert!(found.leaderboard[1].why.as_deref().unwrap().contains("cut after 300 of 400"));
        assert!(board(&[cut]).verdict.contains("no learner has played"), "nothing is left");
    }
}
