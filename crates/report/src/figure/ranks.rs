//! Mean ranks of entries over many streams, and which of them the streams tell apart: by Nemenyi's critical difference, or by
//! Wilcoxon's test of all pairs with Holm's correction; if Friedman's test finds a difference at all.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::board::{Board, BoardRequest, LossPart, ShownChoices, SummedLoss};
use crate::analysis::friedman::Friedman;
use crate::analysis::holm::adjusted;
use crate::analysis::nemenyi::critical_difference;
use crate::analysis::paired::contrast;
use crate::analysis::record::ExperimentResults;
use crate::analysis::summary::LEVEL;
use crate::analysis::wilcoxon::signed_rank;
use crate::caption::FigureContext;
use crate::chart::axis::ticks_at;
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec};
use crate::number::{counted, significant};
use crate::standing::{Standing, absent, choices, measures, missing, names};

pub(crate) static KIND: FigureKind = FigureKind {
    name: "ranks",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<RanksOptions>,
    check,
    draw,
};

/// The test that tells entries apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum PairTest {
    /// Nemenyi's critical difference of mean ranks.
    #[default]
    Nemenyi,
    /// Wilcoxon's signed-rank test of all pairs, with Holm's correction.
    Wilcoxon,
}

/// The options of the kind `ranks`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct RanksOptions {
    /// An entry that stands out.
    of: Option<String>,
    /// How one of several settings of an entry is chosen: `first-tenth` (the default), `hindsight`, or `both`.
    choose: ShownChoices,
    /// The rounds that count: `all` (the default), or the `second-half`.
    part: LossPart,
    /// What tells entries apart: `nemenyi` (the default), or `wilcoxon`.
    test: PairTest,
    /// What is lost: `average_loss`, `error_rate`, or a count. By default errors where all runs of a stream count them.
    #[schemars(with = "Option<String>")]
    loss: Option<SummedLoss>,
    /// Entries that are left out.
    without: Vec<String>,
}

fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let options: RanksOptions = spec.options()?;
    let names = [names("of", &options.of), names("without", &options.without)].concat();
    Ok(CheckedOptions { names, ..CheckedOptions::default() })
}

/// A ranked entry.
struct RankedEntry {
    /// Its place in the board.
    entry: usize,
    rank: f64,
    /// Its losses on the complete streams.
    scores: Vec<f64>,
}

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let options: RanksOptions = spec.options()?;
    let request = BoardRequest {
        of: options.of.as_deref(),
        choices: options.choose,
        without: &options.without,
        loss: options.loss.as_ref().map(|loss| &loss.0),
    };
    let board = Board::new(experiments, &request);
    let standing = Standing::new(&board, options.part);
    let ranked = ranked(&standing);
    let pairs = Pairs::new(&ranked);
    let critical = critical_difference(ranked.len(), standing.streams.len(), LEVEL);
    let differ = standing.test.as_ref().is_some_and(|test| test.probability_of_f < 1.0 - LEVEL);
    let apart = |i: usize, j: usize| {
        differ
            && match options.test {
                PairTest::Nemenyi => critical.is_some_and(|critical| ranked[j].rank - ranked[i].rank > critical),
                PairTest::Wilcoxon => pairs.together(i, j) < 1.0 - LEVEL,
            }
    };
    let groups = groups(ranked.len(), apart);
    let half = (options.test == PairTest::Nemenyi && differ).then_some(critical).flatten().map(|full| 0.5 * full);
    let of = options.of.as_deref().and_then(|name| board.find(name));
    let chart = chart(spec, &board, &ranked, (of, half), &groups);
    let lines = match options.test {
        PairTest::Nemenyi => "lines: half of Nemenyi's critical difference to each side",
        PairTest::Wilcoxon => "",
    };
    let lines = if half.is_some() { format!("; {lines}") } else { String::new() };
    let run = format!(
        "Dots: mean ranks over {}{lines}; bars on the right join entries that the streams do not tell apart; profile {}.",
        counted(standing.streams.len(), "stream"),
        context.profile
    );
    let finding = standing.test.as_ref().map(|test| found(test, critical, differ, options.test));
    let mut notes = vec![measures(&board)];
    notes.extend(absent(&board, options.of.as_deref()));
    notes.extend(choices(&board));
    notes.push(standing.words(&board));
    notes.extend(missing(&board));
    notes.push(pairs.words(&board, &ranked, of));
    let notes = vec![notes.join(" ")];
    Ok(DrawnFigure { panels: vec![chart], columns: 1, run, finding, notes, claims: Vec::new() })
}

/// The ranked entries, the best first.
fn ranked(standing: &Standing) -> Vec<RankedEntry> {
    let one = |(at, entry): (usize, &usize)| {
        let scores = standing.scores.iter().map(|scores| scores[at]).collect();
        Some(RankedEntry { entry: *entry, rank: *standing.mean_ranks.get(at)?, scores })
    };
    let mut ranked: Vec<RankedEntry> = standing.entries.iter().enumerate().filter_map(one).collect();
    ranked.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    ranked
}

/// The tails of Wilcoxon's test of all pairs of ranked entries.
struct Pairs {
    /// The pairs, the better one first.
    pairs: Vec<(usize, usize)>,
    /// After Holm's correction for all of them.
    tails: Vec<f64>,
}

impl Pairs {
    fn new(ranked: &[RankedEntry]) -> Self {
        let pairs = (0..ranked.len()).flat_map(|i| (i + 1..ranked.len()).map(move |j| (i, j)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let tail = |&(i, j): &(usize, usize)| {
            let scores = ranked[i].scores.iter().zip(&ranked[j].scores);
            signed_rank(&scores.map(|(a, b)| contrast([*a, *b])).collect::<Vec<_>>()).unwrap_or(f64::NAN)
        };
        let tails = adjusted(&pairs.iter().map(tail).collect::<Vec<_>>());
        Self { pairs, tails }
    }

    /// The tail of a pair, the better one first.
    fn together(&self, i: usize, j: usize) -> f64 {
        self.pairs.iter().position(|pair| *pair == (i, j)).map_or(1.0, |at| self.tails[at])
    }

    /// How many pairs are told apart, and what the tests of `of` are.
    fn words(&self, board: &Board<'_>, ranked: &[RankedEntry], of: Option<usize>) -> String {
        let apart = self.tails.iter().filter(|tail| **tail < 1.0 - LEVEL).count();
        let name = |at: usize| board.entries[ranked[at].entry].name();
        let mine = self.pairs.iter().zip(&self.tails).filter_map(|(&(i, j), tail)| {
            let (own, other) = if Some(ranked[i].entry) == of { (i, j) } else { (j, i) };
            (Some(ranked[own].entry) == of).then(|| format!("{}: {}", name(other), significant(*tail, 2)))
        });
        let mine: Vec<String> = mine.collect();
        let own = match (of, mine.as_slice()) {
            (Some(of), [_, ..]) => format!(" p of {} against {}.", board.entries[of].name(), mine.join("; ")),
            _ => String::new(),
        };
        format!(
            "Wilcoxon's signed-rank test of the logs of ratios of losses tells {apart} of {} pairs apart at 5 %, after Holm's \
             correction for all of them.{own}",
            self.pairs.len()
        )
    }
}

/// The largest runs of entries, sorted by rank, of which no two are told apart: first and last of each, of two or more.
fn groups(count: usize, apart: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for first in 0..count {
        let joined = |last: &usize| (first..*last).all(|other| !apart(other, *last));
        let last = (first + 1..count).take_while(|last| joined(last)).last();
        found.extend(last.filter(|last| found.iter().all(|(_, end)| end < last)).map(|last| (first, last)));
    }
    found
}

/// What Friedman's test says, and how far apart mean ranks have to be.
fn found(test: &Friedman, critical: Option<f64>, differ: bool, by: PairTest) -> String {
    let digits = |value: f64| significant(value, 3);
    let tested = format!(
        "Friedman: \u{3c7}\u{b2} = {}, p = {}; Iman and Davenport: p = {}",
        digits(test.chi_squared),
        significant(test.probability, 2),
        significant(test.probability_of_f, 2)
    );
    match (differ, by, critical) {
        (false, _, _) => format!("{tested}: no entry is told from another."),
        (true, PairTest::Nemenyi, Some(critical)) => format!("{tested}; critical difference {}.", digits(critical)),
        _ => format!("{tested}."),
    }
}

/// A row for each entry, and a bar for each group to the right of the last dot.
fn chart(
    spec: &FigureSpec,
    board: &Board<'_>,
    ranked: &[RankedEntry],
    (of, half): (Option<usize>, Option<f64>),
    groups: &[(usize, usize)],
) -> Chart {
    let point = |(at, one): (usize, &RankedEntry)| SeriesPoint {
        x: one.rank,
        y: -(at as f64),
        across: half.map(|half| (one.rank - half, one.rank + half)),
        ..SeriesPoint::default()
    };
    let dots = |mine: bool| -> Vec<SeriesPoint> {
        ranked.iter().enumerate().filter(|(_, one)| (Some(one.entry) == of) == mine).map(point).collect()
    };
    let mut series = vec![ChartSeries::dots("mean rank", dots(false))];
    if let Some(of) = of.map(|of| &board.entries[of]) {
        series.push(ChartSeries::dots(of.name(), dots(true)).like(of.name(), &*of.learner));
    }
    let last = ranked.last().map_or(0.0, |one| one.rank + half.unwrap_or(0.0));
    let step = 0.035 * ranked.len().max(2) as f64;
    for (number, (from, to)) in groups.iter().enumerate() {
        let at = last + step * (number + 1) as f64;
        let ends = [*from as f64 - 0.25, *to as f64 + 0.25].map(|row| (at, -row));
        series.push(ChartSeries::theory("not told apart", ends));
    }
    series.retain(|series| !series.points.is_empty());
    // All ranks, and the bars, stand inside the frame.
    let lowest = ranked.first().map_or(1.0, |one| one.rank - half.unwrap_or(0.0)).min(1.0);
    let highest = (last + step * groups.len() as f64).max(ranked.len() as f64);
    let names = ranked.iter().map(|one| board.entries[one.entry].name());
    let every = ranked.len().div_ceil(8).max(1);
    let ticks: Vec<f64> = (1..=ranked.len()).step_by(every).map(|rank| rank as f64).collect();
    let limits = (Some(lowest - 0.5), Some(highest + 0.5));
    let x = AxisSpec { ticks: Some(ticks_at(&ticks)), limits, ..AxisSpec::linear(&spec.x) };
    Chart { series, ..Chart::empty(x, AxisSpec::names(&spec.y, names)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::board::tests::{board, changing};
    use crate::figure::registry::read;

    const TEXT: &str = "kind = 'ranks'\nexperiments = ['e']\ntitle = ''\nx = 'rank'\ny = ''\nshows = ''\n";

    /// On 16 streams `a` is best and `d` worst; `b` and `c` take turns.
    fn experiment(spread: f64) -> ExperimentResults {
        let mut runs = Vec::new();
        for stream in 0..16 {
            let turn = if stream % 2 == 0 { 0.1 } else { -0.1 };
            let noise = |at: usize| (1.0 - spread) * ((stream * 7 + at * 5) % 11) as f64;
            for (at, (label, loss)) in [("a", 1.0), ("b", 2.0 + turn), ("c", 2.0 - turn), ("d", 3.0)].iter().enumerate()
            {
                let loss = spread * loss + noise(at);
                runs.push(changing(&format!("s{stream:02}"), label, loss, loss));
            }
        }
        board(runs)
    }

    fn drawn(spread: f64, options: &str) -> DrawnFigure {
        let figure = read("test", &format!("{TEXT}[options]\n{options}")).unwrap();
        draw(&figure.spec, &[&experiment(spread)], &FigureContext::default()).unwrap()
    }

    #[test]
    fn bars_join_what_does_not_differ() {
        for test in ["nemenyi", "wilcoxon"] {
            let found = drawn(1.0, &format!("of = 'a'\ntest = '{test}'"));
            let chart = &found.panels[0];
            let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
            assert_eq!((names[0], names[1]), ("mean rank", "a"), "{test}");
            let bars: Vec<(f64, f64)> =
                chart.series[2..].iter().map(|bar| (-bar.points[0].y, -bar.points[1].y)).collect();
            // Mean ranks 1, 2.5, 2.5, 4; the critical difference is 1.17.
            assert_eq!(bars, [(0.75, 2.25)], "{test}");
            let ranks: Vec<f64> = chart.series[0].points.iter().map(|point| point.x).collect();
            assert_eq!(ranks, [2.5, 2.5, 4.0]);
            assert_eq!(chart.series[1].points[0].across.is_some(), test == "nemenyi");
            // Every tick and bar is inside the frame.
            let (low, high) = (chart.x.limits.0.unwrap(), chart.x.limits.1.unwrap());
            let ticks = chart.x.ticks.iter().flatten().map(|tick| tick.value);
            assert!(ticks.chain([chart.series[2].points[0].x]).all(|x| low < x && x < high), "{low} {high}");
            assert!(found.notes[0].contains("p of a against"), "{:?}", found.notes);
        }
        assert!(drawn(1.0, "").finding.unwrap().contains("critical difference 1.17."));
    }

    /// Where Friedman's test finds nothing, one bar joins all.
    #[test]
    fn without_a_difference_nothing_is_told_apart() {
        let found = drawn(0.0, "");
        let bars: Vec<f64> = found.panels[0].series[1].points.iter().map(|point| point.y).collect();
        assert_eq!(bars, [0.25, -3.25]);
        assert!(found.finding.unwrap().ends_with("no entry is told from another."));
    }

    #[test]
    fn the_largest_groups_are_kept() {
        let far = |i: usize, j: usize| j - i > 2;
        assert_eq!(groups(5, far), [(0, 2), (1, 3), (2, 4)]);
        assert_eq!(groups(3, |_, _| true), []);
        assert_eq!(groups(3, |_, _| false), [(0, 2)]);
        // 0 and 2 differ although neither differs from 1.
        assert_eq!(groups(3, |i, j| (i, j) == (0, 2)), [(0, 1), (1, 2)]);
    }
}
