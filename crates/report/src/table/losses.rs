//! What every entry lost on every stream, the streams first on which a named entry is not the best.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::board::{Board, BoardRequest, BoardStream, LossPart, Outcome, ShownChoices, SummedLoss};
use crate::analysis::paired;
use crate::analysis::summary::MeanEstimate;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{Name, NameKind};
use crate::number::counted;
use crate::standing::{Standing, absent, choices, measures, missing, names};
use crate::table::api::{Filled, TableInput, TableKind, TableOptions};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("losses", module_path!(), &[ExhibitNeed::Runs], fill).taking::<LossesOptions>();

/// The options of the kind `losses`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct LossesOptions {
    /// The entry that stands first. Streams on which another one loses less come first, the worst at the top.
    of: Option<String>,
    /// How one of several settings of an entry is chosen: `first-tenth` (the default), `hindsight`, or `both`.
    choose: ShownChoices,
    /// The rounds that count: `all` (the default), or the `second-half`.
    part: LossPart,
    /// Whether the least loss of all settings of all entries is subtracted: the mean regret to the best in hindsight.
    regret: bool,
    /// By whose loss a row is divided: `best`, or an entry, such as the running mean. By default by none.
    relative_to: Option<String>,
    /// What is lost: `average_loss`, `error_rate`, or a count. By default errors where all runs of a stream count them.
    #[schemars(with = "Option<String>")]
    loss: Option<SummedLoss>,
    /// Entries that are left out.
    without: Vec<String>,
    /// Whether the streams are the columns, and the entries the rows.
    streams_across: bool,
    /// Why another entry loses less on a stream, by the names of streams. It stands where that is so.
    reasons: BTreeMap<String, String>,
}

/// The word for the least loss of all settings of all entries.
const BEST: &str = "best";

impl TableOptions for LossesOptions {
    fn names(&self) -> Vec<Name> {
        let base = self.relative_to.iter().filter(|name| *name != BEST);
        let reasons = self.reasons.keys().map(|name| Name {
            field: "options.reasons".into(),
            name: name.clone(),
            of: NameKind::Stream,
        });
        let entries = [names("of", &self.of), names("relative_to", base), names("without", &self.without)].concat();
        entries.into_iter().chain(reasons).collect()
    }
}

/// A row in the making.
struct LossesRow {
    stream: usize,
    /// The loss of each entry, as it is shown.
    shown: Vec<Option<f64>>,
    /// The loss of `of` over that of the best other entry; infinite where it has none.
    behind: Option<f64>,
    /// The best entry other than `of`.
    rival: Option<usize>,
    /// What losses are divided by.
    base: Option<f64>,
}

fn fill(given: &TableInput<'_>) -> Filled {
    let options: LossesOptions = given.options().unwrap_or_default();
    let request = BoardRequest {
        of: options.of.as_deref(),
        choices: options.choose,
        without: &options.without,
        loss: options.loss.as_ref().map(|loss| &loss.0),
    };
    let board = Board::new(given.experiments, &request);
    let of = options.of.as_deref().and_then(|name| board.find(name));
    let standing = Standing::new(&board, options.part);
    let order = standing.order(&board, of);
    let mut rows: Vec<LossesRow> = (0..board.streams.len()).map(|at| row(&board, at, of, &options)).collect();
    rows.sort_by(|a, b| b.behind.unwrap_or(0.0).total_cmp(&a.behind.unwrap_or(0.0)));
    let grid = if options.streams_across {
        transposed(&board, &rows, &order, &standing)
    } else {
        upright(&board, &rows, &order, &standing, of, &options)
    };
    Filled { grid, caption: vec![caption(&board, &rows, &standing, of, &options)] }
}

/// The losses of a stream, on the scale that is asked for.
fn row(board: &Board<'_>, at: usize, of: Option<usize>, options: &LossesOptions) -> LossesRow {
    let stream = &board.streams[at];
    let scores: Vec<Option<f64>> = (0..board.entries.len()).map(|entry| stream.score(entry, options.part)).collect();
    let least = stream.best(options.part);
    let base = match options.relative_to.as_deref() {
        None => Some(1.0),
        Some(BEST) => least,
        Some(name) => board.find(name).and_then(|entry| scores[entry]),
    };
    let base = base.filter(|base| *base > 0.0 && base.is_finite());
    let from = if options.regret { least } else { Some(0.0) };
    let shown = |score: &Option<f64>| Some((score.filter(|score| score.is_finite())? - from?) / base?);
    let others =
        (0..scores.len()).filter(|entry| of.is_some_and(|of| board.entries[of].entry != board.entries[*entry].entry));
    let scored = others.filter_map(|entry| Some((scores[entry].filter(|score| score.is_finite())?, entry)));
    let rival = scored.min_by(|a, b| a.0.total_cmp(&b.0));
    let behind = match (of.map(|of| scores[of]), rival) {
        (Some(Some(own)), Some((best, _))) => Some(if own == best { 1.0 } else { own / best }),
        (Some(None), Some(_)) => Some(f64::INFINITY),
        _ => None,
    };
    let shown = scores.iter().map(shown).collect();
    LossesRow { stream: at, shown, behind, rival: rival.map(|(_, entry)| entry), base }
}

/// The cell of an entry in a row.
fn cell(stream: &BoardStream<'_>, row: &LossesRow, entry: usize) -> TableCell {
    let best = row.shown.iter().flatten().copied().min_by(f64::total_cmp);
    match (row.shown[entry], stream.outcomes.get(entry).and_then(Outcome::word)) {
        (Some(value), _) => TableCell::Compared { value, best: Some(value) == best },
        (None, Some(word)) => TableCell::Text(word.into()),
        (None, None) => TableCell::Empty,
    }
}

/// The cell of the mean rank of an entry.
fn rank(standing: &Standing, entry: usize) -> TableCell {
    let best = standing.mean_ranks.iter().copied().min_by(f64::total_cmp);
    let cell = |value| TableCell::Compared { value, best: Some(value) == best };
    standing.mean_rank(entry).map_or(TableCell::Empty, cell)
}

/// A row for each stream: that of `of` beside the best other entry and the reason, then the others.
fn upright(
    board: &Board<'_>,
    rows: &[LossesRow],
    order: &[usize],
    standing: &Standing,
    of: Option<usize>,
    options: &LossesOptions,
) -> TableGrid {
    let (mine, others) = order.split_at(usize::from(of.is_some()));
    let heading = |entry: &usize| {
        let name = board.entries[*entry].name();
        Heading::new(&name, &name, CellKind::Number)
    };
    let mut columns =
        vec![Heading::new("stream", "Stream", CellKind::Text), Heading::new("rounds", "Rounds", CellKind::Count)];
    columns.extend(mine.iter().map(heading));
    if of.is_some() {
        columns.push(Heading::new("difference", "Minus the best other \u{b1} 95 %", CellKind::Interval));
        columns.push(Heading::new("best_other", "Best other", CellKind::Text));
    }
    if !options.reasons.is_empty() {
        columns.push(Heading::new("reason", "Why it is better", CellKind::Prose));
    }
    columns.extend(others.iter().map(heading));
    let line = |row: &LossesRow| {
        let stream = &board.streams[row.stream];
        let mut line = vec![TableCell::Text(stream.name.clone()), TableCell::Count(stream.rounds)];
        line.extend(mine.iter().map(|entry| cell(stream, row, *entry)));
        if let Some(of) = of {
            line.push(difference(stream, row, of).into());
            line.push(row.rival.map(|rival| board.entries[rival].name()).into());
        }
        if !options.reasons.is_empty() {
            let lost = row.behind.is_some_and(|behind| behind > 1.0);
            line.push(options.reasons.get(stream.stream).filter(|_| lost).cloned().into());
        }
        line.extend(others.iter().map(|entry| cell(stream, row, *entry)));
        line
    };
    let mut cells: Vec<Vec<TableCell>> = rows.iter().map(line).collect();
    let mut last = vec![TableCell::Text("mean rank".into()), TableCell::Empty];
    last.extend(mine.iter().map(|entry| rank(standing, *entry)));
    last.resize(columns.len() - others.len(), TableCell::Empty);
    last.extend(others.iter().map(|entry| rank(standing, *entry)));
    cells.push(last);
    TableGrid { columns, rows: cells }
}

/// The difference between `of` and the best other entry over all rounds, on the scale of the row.
fn difference(stream: &BoardStream<'_>, row: &LossesRow, of: usize) -> Option<MeanEstimate> {
    let (base, found) = (row.base?, paired::outcome(stream, of, row.rival?)?.1?);
    Some(MeanEstimate { mean: found.mean / base, half_width: found.half_width.map(|half| half / base), ..found })
}

/// A row for each entry.
fn transposed(board: &Board<'_>, rows: &[LossesRow], order: &[usize], standing: &Standing) -> TableGrid {
    let mut columns = vec![Heading::new("learner", "Learner", CellKind::Text)];
    columns.extend(rows.iter().map(|row| {
        let name = &board.streams[row.stream].name;
        Heading::new(name, name, CellKind::Number)
    }));
    columns.push(Heading::new("mean_rank", "Mean rank", CellKind::Number));
    let line = |entry: &usize| {
        let name = std::iter::once(TableCell::Text(board.entries[*entry].name()));
        let losses = rows.iter().map(|row| cell(&board.streams[row.stream], row, *entry));
        name.chain(losses).chain([rank(standing, *entry)]).collect()
    };
    TableGrid { columns, rows: order.iter().map(line).collect() }
}

fn caption(
    board: &Board<'_>,
    rows: &[LossesRow],
    standing: &Standing,
    of: Option<usize>,
    options: &LossesOptions,
) -> String {
    let rounds = match options.part {
        LossPart::All => "all rounds, from the first on",
        LossPart::SecondHalf => "the second half of the rounds, from the first checkpoint in it on",
    };
    let what =
        if options.regret { "Mean regret per round to the best setting of all in hindsight" } else { "Mean loss" };
    let over = match options.relative_to.as_deref() {
        None => String::new(),
        Some(BEST) => ", over the least loss of all settings of all entries".into(),
        Some(name) => format!(", over the loss of {name}"),
    };
    let mut told = vec![format!("{what} over {rounds}{over}; the best of each stream in bold."), measures(board)];
    if let Some(name) = of.map(|of| &board.entries[of].entry) {
        let behind = |row: &&LossesRow| row.behind.is_some_and(|behind| behind > 1.0);
        let (lost, all) = (rows.iter().filter(behind).count(), rows.iter().filter(|row| row.behind.is_some()).count());
        told.push(format!(
            "Another entry loses less than {name} on {lost} of {}; these come first, the largest ratio before the \
             others.",
            counted(all, "stream")
        ));
        if !options.streams_across {
            told.push(
                "Differences are those of the losses over all rounds, with 95 % t intervals: over replicates where at least \
                 three have orders of their own, else over blocks of consecutive rounds (batch means)."
                    .into(),
            );
        }
    }
    told.extend(absent(board, options.of.as_deref()));
    told.extend(choices(board));
    told.push(standing.words(board));
    told.extend(missing(board));
    if options.streams_across {
        let lost = rows.iter().filter(|row| row.behind.is_some_and(|behind| behind > 1.0));
        let reasons = lost.filter_map(|row| {
            let stream = &board.streams[row.stream];
            Some(format!("{}: {}", stream.name, options.reasons.get(stream.stream)?))
        });
        told.extend(reasons.map(|reason| format!("{}.", reason.trim_end_matches('.'))));
    }
    told.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::board::tests::{board, changing};
    use crate::table::registry::read;

    fn filled(options: &str) -> Filled {
        let experiment = board(vec![
            changing("easy", "auto", 1.0, 1.0),
            changing("easy", "mean", 2.0, 2.0),
            changing("easy", "krr (eta = 1)", 2.0, 4.0),
            changing("easy", "krr (eta = 2)", 3.0, 3.0),
            changing("hard", "auto", 4.0, 4.0),
            changing("hard", "mean", 8.0, 8.0),
            changing("hard", "krr (eta = 1)", 2.0, 2.0),
            changing("hard", "krr (eta = 2)", 3.0, 1.0),
        ]);
        let text = format!("kind = 'losses'\nexperiments = ['e']\ntitle = ''\nshows = ''\n[options]\n{options}");
        let table = read("test", &text).unwrap();
        let given =
            TableInput { experiments: &[&experiment], options: Some(&table.spec.options), ..TableInput::default() };
        (table.kind.fill)(&given)
    }

    fn texts(filled: &Filled) -> Vec<Vec<String>> {
        filled.grid.rows.iter().map(|row| row.iter().map(TableCell::text).collect()).collect()
    }

    #[test]
    fn streams_where_it_loses_come_first_with_the_reason() {
        let found = filled("of = 'auto'\nreasons.hard = 'The law jumps'\nreasons.easy = 'Never shown'");
        let keys: Vec<&str> = found.grid.columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["stream", "rounds", "auto", "difference", "best_other", "reason", "krr", "mean"]);
        let rows = texts(&found);
        assert_eq!(rows[0], ["hard", "100", "4.00", "2.0000 \u{b1} 0", "krr", "The law jumps", "2.00", "8.00"]);
        assert_eq!((rows[1][0].as_str(), rows[1][5].as_str()), ("easy", "\u{2013}"));
        let (nothing, ranks) = (["\u{2013}"; 3], ["mean rank", "\u{2013}", "1.50"]);
        assert_eq!(rows[2], [&ranks[..], &nothing, &["2.00", "2.50"]].concat());
        let bold = |row: usize| found.grid.rows[row].iter().map(TableCell::best).collect::<Vec<_>>();
        assert_eq!((bold(0)[2], bold(0)[6], bold(0)[7]), (false, true, false));
        assert!(found.caption[0].contains("loses less than auto on 1 of 2 streams"), "{}", found.caption[0]);
    }

    #[test]
    fn losses_on_other_scales() {
        let hindsight = texts(&filled("of = 'auto'\nchoose = 'hindsight'\nrelative_to = 'mean'"));
        assert_eq!((&*hindsight[0][2], &hindsight[0][5..]), ("0.500", ["0.150", "1.00"].map(String::from).as_slice()));
        assert!(hindsight[0][3].starts_with("0.35"), "{hindsight:?}");
        let both = filled("choose = 'both'\nregret = true\nrelative_to = 'best'\nstreams_across = true");
        assert_eq!(texts(&both)[0], ["auto", "0", "2.33", "2.00"]);
        assert_eq!(texts(&both)[1], ["krr, hindsight", "2.00", "0", "2.00"]);
        let half = texts(&filled("part = 'second-half'\nwithout = ['mean', 'auto']"));
        assert_eq!(half[0][2..], ["4.00"]);
    }

    #[test]
    fn wrong_options_are_refused() {
        let refused = |options: &str| {
            let text = format!("kind = 'losses'\nexperiments = ['e']\ntitle = ''\nshows = ''\n[options]\n{options}");
            read("test", &text).unwrap_err().to_string()
        };
        assert!(refused("choose = 'best'").contains("first-tenth"));
        assert!(refused("off = 'auto'").contains("off"));
        assert!(refused("loss = 'los'").contains("there is no quantity `los`"));
        // Nothing is summed over rounds.
        assert!(refused("loss = 'm:test_loss'").contains("take average_loss, error_rate or a count"));
        assert!(refused("loss = 'processor_time'").contains("no sum over rounds"));
        let other = "kind = 'rates'\nexperiments = []\ntitle = ''\nshows = ''\n[options]\nof = 'auto'";
        assert!(read("test", other).unwrap_err().to_string().contains("takes no `options`"));
        let text = "kind = 'losses'\nexperiments = ['e']\ntitle = ''\nshows = ''\n[options]\nof = 'a'\nrelative_to = 'best'\n\
                    reasons.s = 'r'";
        let named: Vec<(String, NameKind)> =
            read("test", text).unwrap().names.into_iter().map(|n| (n.name, n.of)).collect();
        assert_eq!(named, [("a".into(), NameKind::Entry), ("s".into(), NameKind::Stream)]);
    }
}
