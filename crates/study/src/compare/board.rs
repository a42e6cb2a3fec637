//! Ranks learners by their losses on rows that did not choose their settings, and says who is no better than whom.
//!
//! The difference of two learners' mean losses over the judging half has a 95 % t interval from the means of 5 to 20 blocks
//! of consecutive rows (batch means of the differences, row by row on the same rows, [`noregret_report::analysis::blocks`]): losses of
//! neighbouring rows depend on each other, and the means of blocks much less. Where a learner draws random numbers, the
//! interval is at least as wide as that over its seeds. Each interval holds by itself.
//!
//! The ranking is shown in the units of the file: as lines of text, and as a picture, the average loss of each learner along
//! the rows that judge. Each of its curves ends at the number that the lines have.

use serde::Serialize;

use crate::compare::arena::Arena;
use crate::compare::error::CompareError;
use crate::compare::halving::ContestResult;
use crate::compare::played::{CompareMetric, RunOutcome};
use crate::lines::aligned;
use noregret_core::learner::about::Compared;
use noregret_report::analysis::blocks::blocks;
use noregret_report::analysis::summary::{MeanEstimate, estimate};
use noregret_report::chart::plot::{AxisSpec, Chart, ChartSeries};
use noregret_report::compared::{ChartFiles, ComparedStory, RankedLearner, files};
use noregret_report::number::{bytes, duration, plus_minus, significant};

/// What a learner has played.
#[derive(Clone, Debug)]
pub(crate) struct PlayedLearner {
    /// Its name.
    pub learner: String,
    /// Its setting, by number.
    pub setting: usize,
    /// The parameters that were chosen, in words.
    pub parameters: String,
    /// Whether it looks at no inputs.
    pub baseline: bool,
    /// Whether it is always drawn.
    pub(crate) always: bool,
    /// Its runs over all rows in play, with their seeds, ascending.
    pub runs: Vec<(u32, RunOutcome)>,
    /// Its longest run, where none reached the last row.
    pub(crate) short: Option<RunOutcome>,
}

impl PlayedLearner {
    /// The sum of a metric over the rounds after `from`, up to `to`, in the mean over its runs.
    fn sum(&self, from: u64, to: u64, metric: CompareMetric) -> Option<f64> {
        let all = self.runs.iter().map(|(_, run)| Some(run.between(from, to)?.of(metric)));
        Some(all.collect::<Option<Vec<_>>>()?.iter().sum::<f64>() / self.runs.len().max(1) as f64)
    }
}

/// How a learner stands to the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BoardPlace {
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
pub struct BoardLine {
    /// The learner.
    pub learner: String,
    /// Its setting, by number.
    #[serde(skip)]
    pub setting: usize,
    /// Whether it is always drawn.
    #[serde(skip)]
    pub(crate) always: bool,
    /// How it stands to the first one.
    pub(crate) place: BoardPlace,
    /// The mean of the metric over the rows that judged, and over seeds.
    pub loss: Option<f64>,
    /// How much more that is than the first one's.
    pub(crate) difference: Option<f64>,
    /// Half the width of the difference's 95 % interval, where there is one.
    pub half_width: Option<f64>,
    /// The mean over the rows that chose.
    pub(crate) loss_choosing: Option<f64>,
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
pub struct Leaderboard {
    /// How many rows chose the settings: the first ones.
    pub chose: u64,
    /// How many rows were played; those after the first half judged.
    pub rows: u64,
    /// The learners, best first; those that are not ranked last.
    pub leaderboard: Vec<BoardLine>,
    /// The learner that beats every baseline beyond the interval, and has the lowest loss.
    pub winner: Option<String>,
    /// What the ranking says, in a sentence or two.
    pub verdict: String,
}

/// The difference of two learners on the rows after `half`.
fn difference(one: &PlayedLearner, other: &PlayedLearner, half: u64, metric: CompareMetric) -> Option<MeanEstimate> {
    let sum = |entrant: &PlayedLearner, round: u64| entrant.sum(half, round, metric);
    let ends = one.runs.first()?.1.parts.iter().map(|(round, _)| *round).filter(|round| *round > half);
    let points: Option<Vec<(u64, f64)>> =
        ends.map(|round| Some((round - half, sum(one, round)? - sum(other, round)?))).collect();
    let found = blocks(&points?)?;
    // Seeds are paired where both have them.
    let mean = |entrant: &PlayedLearner, seed: u32| {
        let own = entrant.runs.iter().find(|(of, _)| *of == seed).map(|(_, run)| judged(run, half, metric));
        own.unwrap_or_else(|| losses(entrant, half, metric).map(|found| found.mean))
    };
    let seeds = if one.runs.len() >= other.runs.len() { one } else { other };
    let over: Option<Vec<f64>> =
        seeds.runs.iter().map(|(seed, _)| Some(mean(one, *seed)? - mean(other, *seed)?)).collect();
    let wide = estimate(&over?).and_then(|found| found.half_width).unwrap_or(0.0);
    Some(MeanEstimate { half_width: found.half_width.map(|width| width.max(wide)), ..found })
}

/// The mean of a run over the rows after `half`.
fn judged(run: &RunOutcome, half: u64, metric: CompareMetric) -> Option<f64> {
    let rows = run.rounds.checked_sub(half).filter(|rows| *rows > 0)?;
    Some(run.between(half, run.rounds)?.of(metric) / rows as f64)
}

fn losses(entrant: &PlayedLearner, half: u64, metric: CompareMetric) -> Option<MeanEstimate> {
    estimate(&entrant.runs.iter().map(|(_, run)| judged(run, half, metric)).collect::<Option<Vec<_>>>()?)
}

fn contains_zero(found: &MeanEstimate) -> bool {
    found.half_width.is_none_or(|width| found.mean.abs() <= width)
}

/// A ranking, and how it is shown.
pub struct ShownBoard {
    /// The ranking.
    pub board: Leaderboard,
    /// Its lines.
    pub text: String,
    /// Who is drawn: those that always are and were ranked, and the best others, in the order of the ranking.
    pub drawn: Vec<String>,
    entrants: Vec<PlayedLearner>,
}

impl ShownBoard {
    /// The average loss of the drawn learners along the rows that judged; none where nothing was ranked.
    fn chart(&self, metric: CompareMetric) -> Option<Chart> {
        let board = &self.board;
        let find = |name: &String| self.entrants.iter().find(|entrant| entrant.learner == *name);
        let series: Vec<ChartSeries> = self
            .drawn
            .iter()
            .filter_map(find)
            .map(|entrant| {
                let points = curve(entrant, board.chose, metric);
                ChartSeries::line(entrant.learner.clone(), points)
                    .like(entrant.learner.clone(), entrant.learner.clone())
            })
            .filter(|series| !series.points.is_empty())
            .collect();
        if series.is_empty() {
            return None;
        }
        let values = || series.iter().flat_map(|one| &one.points).map(|point| point.y);
        let (low, high) = values().fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
        let label = format!("average {} since row {}", metric.title(), board.chose + 1);
        // Where losses differ by orders of magnitude, the small ones are to be told apart, too.
        let y = if low > 0.0 && high > 20.0 * low { AxisSpec::log(&label) } else { AxisSpec::linear(&label) };
        Some(Chart { series, ..Chart::empty(AxisSpec::linear("row"), y) })
    }

    /// What the first of the ranking predicted in the last rows, beside the targets, with its name; none of classes.
    fn predictions(&self) -> Option<(String, Chart)> {
        let first = self.board.leaderboard.iter().find(|line| line.place != BoardPlace::Unranked)?;
        let entrant = self.entrants.iter().find(|entrant| entrant.learner == first.learner)?;
        let (_, run) = entrant.runs.first().filter(|(_, run)| !run.last.is_empty())?;
        let row = |at: usize| (run.rounds - (run.last.len() - at) as u64 + 1) as f64;
        let of =
            |value: fn(&(f64, f64)) -> f64| run.last.iter().enumerate().map(move |(at, pair)| (row(at), value(pair)));
        let targets = ChartSeries::line("target".to_owned(), of(|pair| pair.1)).like("constant", "constant");
        let found = ChartSeries::line(first.learner.clone(), of(|pair| pair.0)).like(&*first.learner, &*first.learner);
        let chart = Chart::empty(AxisSpec::linear("row"), AxisSpec::linear("target, in the unit of the file"));
        Some((first.learner.clone(), Chart { series: vec![targets, found], ..chart }))
    }

    /// The picture, for the file of this name; none where nothing was ranked.
    ///
    /// # Errors
    /// What could not be drawn.
    pub fn picture(&self, name: &str, metric: CompareMetric) -> Result<Option<ChartFiles>, CompareError> {
        let (board, Some(chart)) = (&self.board, self.chart(metric)) else { return Ok(None) };
        let description = format!(
            "The average {} of each learner over the rows {} to {} of {name}, which did not choose its setting, in the unit of the \
             file; each curve ends at the number of the leaderboard. {}",
            metric.title(),
            board.chose + 1,
            board.rows,
            board.verdict
        );
        let drawn = files(&[chart], &format!("{name}: learners compared"), &description);
        drawn.map(Some).map_err(|error| CompareError::Picture(error.to_string()))
    }

    /// What the page for the file of this name tells, but for who was left out and how it was compared.
    pub fn story(&self, name: &str, metric: CompareMetric) -> ComparedStory {
        let board = &self.board;
        let ranked = board.leaderboard.iter().filter(|line| line.place != BoardPlace::Unranked);
        let ranked = ranked.filter_map(|line| {
            let (loss, seconds) = (line.loss?, line.seconds.unwrap_or(0.0));
            Some(RankedLearner { name: line.learner.clone(), loss, seconds, baseline: line.baseline })
        });
        let mut lines = cells(board, metric);
        let headings = lines.remove(0);
        ComparedStory {
            title: format!("{name}: learners compared"),
            loss: metric.title().to_owned(),
            rows: format!("rows {} to {} of {name}", board.chose + 1, board.rows),
            verdict: board.verdict.clone(),
            along_rows: self.chart(metric),
            predictions: self.predictions(),
            ranked: ranked.collect(),
            headings,
            lines,
            left_out: Vec::new(),
            facts: Vec::new(),
        }
    }
}

/// Ranks what a contest has found. `classes` says whether targets are classes.
pub fn shown(found: &ContestResult, arena: &Arena, metric: CompareMetric, classes: bool) -> ShownBoard {
    let entrants: Vec<PlayedLearner> = found
        .judged
        .iter()
        .map(|one| {
            let candidate = &arena.settings[one.setting];
            let about = candidate.learner.build.about;
            PlayedLearner {
                learner: candidate.learner.name.to_owned(),
                setting: one.setting,
                parameters: candidate.words.clone(),
                baseline: matches!(about.compared, Compared::Baseline),
                always: about.compared.always(),
                runs: one.runs.clone(),
                short: one.short.clone(),
            }
        })
        .collect();
    let board = ranked(&entrants, found.rows, metric, classes);
    let drawn = drawn(&board).into_iter().map(str::to_owned).collect();
    ShownBoard { text: text(&board, metric), drawn, entrants, board }
}

/// Ranks entrants over `rows` rows, of which the first half chose. `classes` says whether targets are classes.
fn ranked(entrants: &[PlayedLearner], rows: u64, metric: CompareMetric, classes: bool) -> Leaderboard {
    let half = rows / 2;
    let mut order: Vec<(f64, &PlayedLearner)> = Vec::new();
    let mut rest = Vec::new();
    for entrant in entrants {
        match losses(entrant, half, metric) {
            Some(found) if found.mean.is_finite() => order.push((found.mean, entrant)),
            _ => rest.push(entrant),
        }
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.learner.cmp(&b.1.learner)));
    let played = |entrant: &PlayedLearner| entrant.short.as_ref().map_or(0, |run| run.rounds);
    rest.sort_by(|a, b| played(b).cmp(&played(a)).then_with(|| a.learner.cmp(&b.learner)));
    let first = order.first().map(|(_, entrant)| *entrant);
    let line = |entrant: &PlayedLearner| {
        let mean = |of: &dyn Fn(&RunOutcome) -> Option<f64>| {
            let values: Vec<f64> = entrant.runs.iter().filter_map(|(_, run)| of(run)).collect();
            estimate(&values).map(|found| found.mean)
        };
        let found =
            first.filter(|_| !entrant.runs.is_empty()).and_then(|first| difference(entrant, first, half, metric));
        let place = match (&found, first) {
            _ if entrant.runs.is_empty() => BoardPlace::Unranked,
            (_, Some(first)) if std::ptr::eq(first, entrant) => BoardPlace::First,
            (Some(found), _) if !contains_zero(found) => BoardPlace::Behind,
            _ => BoardPlace::Tie,
        };
        let ranked = place != BoardPlace::First;
        BoardLine {
            learner: entrant.learner.clone(),
            setting: entrant.setting,
            always: entrant.always,
            place,
            loss: losses(entrant, half, metric).map(|found| found.mean),
            difference: found.as_ref().filter(|_| ranked).map(|found| found.mean),
            half_width: found.as_ref().filter(|_| ranked).and_then(|found| found.half_width),
            loss_choosing: mean(&|run| Some(run.between(0, half)?.of(metric) / half.max(1) as f64)),
            seeds: entrant.runs.iter().filter_map(|(_, run)| judged(run, half, metric)).collect(),
            error_rate: mean(&|run| judged(run, half, CompareMetric::Error)).filter(|_| classes),
            seconds: mean(&|run| Some(run.seconds)),
            bytes: mean(&|run| run.bytes),
            rows: if entrant.runs.is_empty() { played(entrant) } else { rows },
            runs: entrant.runs.len(),
            baseline: entrant.baseline,
            parameters: entrant.parameters.clone(),
            why: (place == BoardPlace::Unranked).then(|| {
                match entrant.short.as_ref().and_then(|run| run.over.clone()) {
                    Some(why) => format!("it broke down after {} rows: {why}", played(entrant)),
                    None if played(entrant) == 0 => format!("no time was left to play {rows} rows"),
                    None => format!("it was cut after {} of {rows} rows", played(entrant)),
                }
            }),
        }
    };
    let leaderboard: Vec<BoardLine> = order.iter().map(|(_, entrant)| *entrant).chain(rest).map(line).collect();
    let (winner, verdict) = verdict(&order, &leaderboard, half, metric);
    Leaderboard { chose: half, rows, leaderboard, winner, verdict }
}

/// Who wins, and why, or why nobody does.
fn verdict(
    order: &[(f64, &PlayedLearner)],
    lines: &[BoardLine],
    half: u64,
    metric: CompareMetric,
) -> (Option<String>, String) {
    let Some((_, first)) = order.first() else {
        return (None, "No winner: no learner has played all rows that judge.".into());
    };
    let baselines = || order.iter().map(|(_, entrant)| *entrant).filter(|entrant| entrant.baseline);
    let Some(baseline) = baselines().next() else {
        return (
            None,
            "No winner: no baseline has played all rows that judge, so nothing is known to beat one.".into(),
        );
    };
    let (best, base) = (&first.learner, &baseline.learner);
    if first.baseline {
        return (None, format!("No winner: no learner beats the baseline {base} on the rows that judged."));
    }
    // The nearest one has the least mean, but another one may have a wider interval.
    let mut nearest = None;
    for baseline in baselines() {
        let base = &baseline.learner;
        let Some((found, width)) =
            difference(baseline, first, half, metric).and_then(|found| Some((found.mean, found.half_width?)))
        else {
            let few =
                format!("{half} rows that judge are too few for an interval; it takes 50, and as many that choose");
            return (None, format!("No winner: {best} is ahead of the baseline {base}, but {few}."));
        };
        let ahead = format!("the baseline {base} loses {} more", plus_minus(found, Some(width)));
        if found <= width {
            let why = match nearest {
                None => "the interval contains 0, so this file shows no signal that a learner could use",
                Some(_) => "the interval contains 0, so it is not shown to beat every baseline",
            };
            return (None, format!("No winner: {best} has the lowest loss, and {ahead}: {why}."));
        }
        nearest.get_or_insert(ahead);
    }
    let ahead = nearest.unwrap_or_default();
    let ties: Vec<&str> =
        lines.iter().filter(|line| line.place == BoardPlace::Tie).map(|line| line.learner.as_str()).collect();
    let ties = match ties.as_slice() {
        [] => "No other learner ties with it.".to_owned(),
        ties => format!("Ties with it, since the intervals of the differences contain 0: {}.", ties.join(", ")),
    };
    (Some(best.clone()), format!("Winner: {best}; {ahead}. {ties}"))
}

/// How much more than the first one a learner loses.
fn behind(line: &BoardLine) -> String {
    let signed = |difference: f64| {
        let text = plus_minus(difference, line.half_width);
        if difference >= 0.0 { format!("+{text}") } else { text }
    };
    match (line.place, line.difference) {
        (BoardPlace::First, _) => "first".into(),
        (BoardPlace::Tie, Some(difference)) => format!("{}, tie", signed(difference)),
        (BoardPlace::Tie, None) => "tie".into(),
        (BoardPlace::Behind, Some(difference)) => signed(difference),
        _ => "-".into(),
    }
}

/// The lines of a leaderboard.
fn text(board: &Leaderboard, metric: CompareMetric) -> String {
    aligned(&cells(board, metric))
}

/// The headings of a leaderboard, and its lines.
fn cells(board: &Leaderboard, metric: CompareMetric) -> Vec<Vec<String>> {
    let rows = &board.leaderboard;
    let errors = metric != CompareMetric::Error && rows.iter().any(|row| row.error_rate.is_some());
    let several = rows.iter().any(|row| row.runs > 1);
    let mut titles = vec![
        "learner".to_owned(),
        metric.title().to_owned(),
        "more than the first".to_owned(),
        "while choosing".to_owned(),
    ];
    titles.extend(errors.then(|| "errors".to_owned()));
    titles.extend(["time", "memory"].map(str::to_owned));
    titles.extend(several.then(|| "runs".to_owned()));
    titles.push("parameters".into());
    let mut lines: Vec<Vec<String>> = vec![titles];
    for row in rows {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let short = |value: Option<f64>| or_dash(value.map(|value| significant(value, 5)));
        let mut line = vec![row.learner.clone(), short(row.loss), behind(row), short(row.loss_choosing)];
        if errors {
            line.push(or_dash(row.error_rate.map(|rate| significant(rate, 3))));
        }
        line.push(or_dash(row.seconds.map(duration)));
        line.push(or_dash(row.bytes.map(bytes)));
        if several {
            line.push(row.runs.to_string());
        }
        line.push(row.why.as_ref().map_or_else(|| row.parameters.clone(), |why| format!("not ranked: {why}")));
        lines.push(line);
    }
    lines
}

/// The most curves; more cannot be told apart.
const CURVES: usize = 7;

/// Who is drawn.
fn drawn(board: &Leaderboard) -> Vec<&str> {
    let ranked = || board.leaderboard.iter().filter(|line| line.place != BoardPlace::Unranked);
    let mut room = CURVES.saturating_sub(ranked().filter(|line| line.always).count());
    let fits = |line: &&BoardLine| {
        let fits = line.always || room > 0;
        room -= usize::from(fits && !line.always);
        fits
    };
    ranked().filter(fits).map(|line| line.learner.as_str()).collect()
}

/// The points of an entrant's curve: the average since the rows that judge began, over its runs.
fn curve(entrant: &PlayedLearner, half: u64, metric: CompareMetric) -> Vec<(f64, f64)> {
    let Some((_, first)) = entrant.runs.first() else { return Vec::new() };
    let point = |round: u64| Some((round as f64, entrant.sum(half, round, metric)? / (round - half) as f64));
    let rounds: Vec<u64> = first.parts.iter().map(|(round, _)| *round).filter(|round| *round > half).collect();
    // Averages over the first few rows say little.
    let from = half + (rounds.last().unwrap_or(&half) - half) / 20;
    rounds.into_iter().filter(|round| *round >= from).filter_map(point).collect()
}

#[cfg(test)]
mod tests;
