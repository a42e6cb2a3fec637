//! What the index says of each paper, and of each row of rates.

use serde::Serialize;

use crate::exhibit::{Body, ShownExhibit};
use crate::number::{counted, plus_minus, significant};
use crate::page::story::{Tiles, kind, text};
use crate::page::verdict::{Tone, class, tone};
use crate::rates::cited;
use crate::table::format::{TableCell, TableGrid};
use noregret_papers::paper::Paper;

/// What was found on one paper, in a sentence made from the counts of its verdicts.
pub(crate) fn found(groups: &[Tiles]) -> String {
    let of = |heading: &str| groups.iter().find(|group| group.heading == heading);
    let count = |group: &Tiles, wanted: Tone| -> usize {
        group.tiles.iter().filter(|tile| tile.tone == wanted).map(|tile| tile.count).sum()
    };
    let mut sentences = Vec::new();
    if let Some(group) = of("Theorems") {
        let parts = [
            (Tone::Agrees, "agree"),
            (Tone::Against, "disagree"),
            (Tone::Open, "not decided"),
            (Tone::Absent, "not tested"),
        ];
        let told = |tone: Tone, words: String| match outside(group, tone) {
            0 => words,
            some => format!("{words} ({some} outside the conditions of their theorem)"),
        };
        let parts = parts.map(|(tone, words)| match (count(group, tone), tone) {
            (0, Tone::Against) => Some("none disagrees".to_owned()),
            (0, _) => None,
            (1, Tone::Agrees | Tone::Against) => Some(told(tone, format!("1 {words}s"))),
            (count, Tone::Agrees | Tone::Against) => Some(told(tone, format!("{count} {words}"))),
            (count, _) => Some(format!("{count} {words}")),
        });
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let on = group.theorems.map(|theorems| format!(" on {}", counted(theorems, "theorem"))).unwrap_or_default();
        sentences.push(format!("Of {}{on}, {}.", counted(group.total, "row"), parts.join(", ")));
    }
    if let Some(group) = of("Bounds") {
        let (held, broken) = (count(group, Tone::Agrees), count(group, Tone::Against));
        let held = match outside(group, Tone::Agrees) {
            0 => format!("{held} hold"),
            count => format!("{held} hold, {count} of them outside the conditions of their theorems"),
        };
        sentences.push(match broken {
            0 => format!("No bound with constants is exceeded ({held})."),
            1 => format!("One bound with constants is exceeded ({held})."),
            _ => format!("{broken} bounds with constants are exceeded ({held})."),
        });
    }
    if let Some(group) = of("Errata") {
        let wrong = count(group, Tone::Against);
        sentences.push(match wrong {
            0 => String::new(),
            1 => "One formula is wrong as printed, and corrected.".into(),
            _ => format!("{wrong} formulas are wrong as printed, and corrected."),
        });
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// How many of the verdicts of a tone are of runs that do not meet the conditions of their theorem.
fn outside(group: &Tiles, wanted: Tone) -> usize {
    group.tiles.iter().filter(|tile| tile.tone == wanted).map(|tile| tile.outside).sum()
}

/// All rows of rates with an exponent, by paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ForestSummary {
    /// Their table, as an anchor.
    anchor: String,
    papers: Vec<ForestPaper>,
}

/// The rows of a paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ForestPaper {
    title: &'static str,
    rows: Vec<ForestRow>,
}

/// A row of rates in the forest of the index.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ForestRow {
    /// The row's name.
    row: String,
    /// The row's name without that of its paper.
    name: String,
    /// Where the paper states it.
    place: String,
    /// The exponent that the theorem has on the same horizons.
    predicted: String,
    /// The measured one, with its interval.
    measured: String,
    /// One of the four words.
    word: String,
    tone: Tone,
    /// The difference, in parts of a thousand of the axis: where it is, the ends of its interval, the ends of the margin.
    at: i32,
    interval: Option<(i32, i32)>,
    margin: (i32, i32),
    /// Whether the difference lies beyond the axis, and is drawn at its end.
    beyond: bool,
}

/// Half of the axis of the forest.
const REACH: f64 = 1.0;

/// A difference of exponents on the axis, in parts of a thousand.
fn placed(difference: f64) -> i32 {
    (1000.0 * (difference.clamp(-REACH, REACH) + REACH) / (2.0 * REACH)).round() as i32
}

/// The forest of the table of rates, where it is among the exhibits.
pub(crate) fn forest(exhibits: &[ShownExhibit]) -> Option<ForestSummary> {
    exhibits.iter().find_map(|shown| {
        let Body::Table(grid) = &shown.exhibit.body else { return None };
        if !matches!(kind(grid), Some(("Theorems", _))) {
            return None;
        }
        let rows: Vec<(Paper, ForestRow)> = grid.rows.iter().filter_map(|cells| row(grid, cells)).collect();
        let of = |paper: Paper| rows.iter().filter(move |(own, _)| *own == paper).map(|(_, row)| row.clone()).collect();
        let papers = Paper::ALL.map(|paper| ForestPaper { title: paper.title(), rows: of(paper) });
        let papers: Vec<ForestPaper> = papers.into_iter().filter(|paper| !paper.rows.is_empty()).collect();
        (!papers.is_empty()).then(|| ForestSummary { anchor: format!("table-{}", shown.exhibit.name), papers })
    })
}

fn row(grid: &TableGrid, cells: &[TableCell]) -> Option<(Paper, ForestRow)> {
    let cell = |key: &str| Some(&cells[grid.columns.iter().position(|column| column.key == key)?]);
    let (Some(TableCell::Interval { mean, half_width, .. }), Some(predicted)) =
        (cell("exponent"), cell("predicted")?.number())
    else {
        return None;
    };
    let Some(TableCell::Interval { mean: difference, half_width: half, .. }) = cell("delta") else { return None };
    let (Some(paper), place) = cited(text(grid, cells, "theorem")?) else { return None };
    let (words, name) = (text(grid, cells, "verdict")?, text(grid, cells, "row")?);
    let margin = cell("margin").and_then(TableCell::number).unwrap_or(0.0);
    let own = paper.id().split('-').next().unwrap_or_default();
    let short = if paper.id() == "infinite-layer-networks" { "iln" } else { own };
    let row = ForestRow {
        row: name.to_owned(),
        name: name.strip_prefix(short).unwrap_or(name).trim_start_matches('-').replace('-', " "),
        place: place.to_owned(),
        predicted: significant(predicted, 3),
        measured: match half.filter(|half| *half > 0.0) {
            Some(_) => plus_minus(*mean, half_width.filter(|half| *half > 0.0)),
            // The expectation of the runs is known, and decides.
            None => format!("{}, exact", significant(predicted + difference, 3)),
        },
        word: class(words).to_owned(),
        tone: tone(words),
        at: placed(*difference),
        interval: half.filter(|half| *half > 0.0).map(|half| (placed(difference - half), placed(difference + half))),
        margin: (placed(-margin), placed(margin)),
        beyond: difference.abs() > REACH,
    };
    Some((paper, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::story::tiles;
    use crate::table::claims::tests as fixture;
    use crate::table::format::{CellKind, Heading};

    /// A table of rates with a row for each verdict and difference.
    fn rates(rows: &[(&str, f64)]) -> ShownExhibit {
        let text = ["verdict", "theorem", "row"].map(|key| Heading::new(key, key, CellKind::Text));
        let numbers =
            ["exponent", "predicted", "delta", "margin"].map(|key| Heading::new(key, key, CellKind::Interval));
        let cells = |(verdict, difference): &(&str, f64)| {
            let interval = |mean| TableCell::Interval { mean, half_width: Some(0.25), best: false };
            let words = [*verdict, "PKAWV: Theorem 4", "pkawv-theorem-4-d1"].map(|word| TableCell::Text(word.into()));
            let numbers =
                [interval(0.5 + difference), TableCell::Number(0.5), interval(*difference), TableCell::Number(0.05)];
            words.into_iter().chain(numbers).collect()
        };
        let columns = text.into_iter().chain(numbers).collect();
        let body = Body::Table(TableGrid { columns, rows: rows.iter().map(cells).collect() });
        let exhibit = crate::exhibit::Exhibit { body, ..fixture::figure("rates", None, Vec::new()) };
        ShownExhibit { exhibit, svg: None, files: Vec::new() }
    }

    #[test]
    fn a_sentence_counts_every_verdict_once() {
        let shown = [rates(&[
            ("matches", 0.0),
            ("faster than the bound", -0.4),
            ("inconclusive", 0.1),
            ("not testable here", 0.0),
        ])];
        let said = found(&tiles(&shown, Some(Paper::Pkawv)));
        assert_eq!(said, "Of 4 rows on 1 theorem, 2 agree, none disagrees, 1 not decided, 1 not tested.");
        let worse = [rates(&[("steeper than the bound on this range", 0.5)])];
        assert_eq!(found(&tiles(&worse, None)), "Of 1 row, 1 disagrees.");
        assert_eq!(found(&[]), "");
    }

    /// A theorem promises nothing of runs that do not meet its conditions.
    #[test]
    fn what_is_outside_of_the_conditions_is_told() {
        let shown = [rates(&[("matches", 0.0), ("matches", 0.1), ("inconclusive", 0.1)])];
        let mut groups = tiles(&shown, None);
        groups[0].tiles.iter_mut().filter(|tile| tile.tone == Tone::Agrees).for_each(|tile| tile.outside = 1);
        let said = found(&groups);
        assert!(said.contains("2 agree (1 outside the conditions of their theorem), none disagrees"), "{said}");
        groups[0].heading = "Bounds";
        let said = found(&groups);
        assert!(said.contains("(2 hold, 1 of them outside the conditions of their theorems)"), "{said}");
    }

    #[test]
    fn differences_stand_where_they_are_and_never_off_the_axis() {
        let shown = [rates(&[("matches", 0.0), ("steeper than the bound on this range", 3.0)])];
        let ForestSummary { anchor, papers } = forest(&shown).unwrap();
        assert_eq!((anchor.as_str(), papers.len(), papers[0].title), ("table-rates", 1, "PKAWV"));
        let [first, second] = papers[0].rows.as_slice() else { panic!("two rows") };
        assert_eq!((first.at, first.interval, first.margin, first.beyond), (500, Some((375, 625)), (475, 525), false));
        assert_eq!((first.name.as_str(), first.word.as_str()), ("theorem 4 d1", "agrees"));
        assert_eq!((second.at, second.interval, second.beyond), (1000, Some((1000, 1000)), true));
        assert_eq!(second.word, "disagrees");
    }
}
