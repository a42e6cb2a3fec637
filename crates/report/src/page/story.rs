//! What the report shows first: how many verdicts of each class there are, and what disagrees with the papers and why.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::analysis::words::{OURS, UNTESTABLE};
use crate::exhibit::{Body, ShownExhibit};
use crate::page::verdict::{Tone, erratum, own, tone};
use crate::page::view::{VERDICTS, facets};
use crate::rates::cited;
use crate::table::format::{TableCell, TableGrid};
use noregret_papers::paper::Paper;

/// Verdicts of one kind, by class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tiles {
    /// What the verdicts are on.
    pub heading: &'static str,
    /// The table of their rows, as an anchor.
    pub(crate) anchor: String,
    /// Whose the claims are, where a table holds those of papers and ours.
    pub(crate) whose: Option<String>,
    /// How many there are.
    pub(crate) total: usize,
    /// How many theorems they are on, where several rows are on one.
    pub(crate) theorems: Option<usize>,
    /// The classes, with those that go against the papers first.
    pub(crate) tiles: Vec<Tile>,
}

/// The number of verdicts of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tile {
    /// The facet that chooses these rows: `verdict`, or `class` for errata.
    pub(crate) facet: &'static str,
    /// The class.
    pub class: String,
    /// How it stands to the papers.
    pub(crate) tone: Tone,
    /// How many rows have it.
    pub count: usize,
    /// How many of these an interval of their own decides, although all tests together do not.
    pub(crate) leaning: usize,
    /// How many of these have runs that do not meet the conditions of their theorem.
    pub(crate) outside: usize,
}

impl Tile {
    /// The tile of a verdict's or erratum's words.
    fn of(facet: &'static str, class: &str, words: &str) -> Self {
        let tone = if facet == "class" { erratum(words) } else { tone(words) };
        let leaning = usize::from(tone == Tone::Leaning);
        let tone = if leaning == 1 { Tone::Open } else { tone };
        Self { facet, class: class.to_owned(), tone, count: 1, leaning, outside: 0 }
    }
}

/// Something that goes against a paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Disagreement {
    /// The verdict, in words.
    pub verdict: String,
    /// What it is about.
    pub about: String,
    /// Where the paper says it.
    pub source: String,
    /// Why the data may say otherwise; empty if nobody knows.
    pub why: String,
    /// The exhibit that shows it, as an anchor.
    pub(crate) anchor: String,
    /// The paper, where one is named.
    pub paper: Option<Paper>,
}

/// What verdicts can be on: the heading, the columns that a table of them has, and the facet that classes them.
const KINDS: [(&str, &[&str], &str); 5] = [
    ("Theorems", &["theorem", "verdict"], "verdict"),
    ("Claims", &["claim", "outcome"], "verdict"),
    ("Bounds", &["theorem", "standing"], "verdict"),
    ("Costs", &["source", "verdict", "exponent"], "verdict"),
    ("Errata", &["class", "place"], "class"),
];

/// The place of a table among others: tables of verdicts come first, in the order of their kinds.
pub(crate) fn rank(grid: &TableGrid) -> usize {
    let heading = kind(grid).map(|(heading, _)| heading);
    KINDS.iter().position(|(known, ..)| Some(*known) == heading).unwrap_or(KINDS.len())
}

/// The kind of verdicts that a table holds, and the facet that classes them.
pub(crate) fn kind(grid: &TableGrid) -> Option<(&'static str, &'static str)> {
    let has = |key: &&str| grid.columns.iter().any(|column| column.key == **key);
    KINDS.iter().find(|(_, keys, _)| keys.iter().all(has)).map(|(heading, _, facet)| (*heading, *facet))
}

/// How many verdicts of each class the tables hold; for one paper, where one is given.
pub(crate) fn tiles(exhibits: &[ShownExhibit], paper: Option<Paper>) -> Vec<Tiles> {
    let mut found: Vec<(usize, Tiles)> = Vec::new();
    for shown in exhibits {
        let Body::Table(grid) = &shown.exhibit.body else { continue };
        let Some((heading, facet)) = kind(grid) else { continue };
        // Questions of ours follow the claims of papers that stand in the same table, and are never counted among them.
        let mut groups: Vec<(bool, Vec<Tile>)> = vec![(false, Vec::new()), (true, Vec::new())];
        let mut theorems = BTreeSet::new();
        let mut whose = [None, None];
        for cells in &grid.rows {
            let facets = facets(grid, cells);
            let value = |key: &str| facets.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
            if paper.is_some_and(|paper| value("paper") != Some(paper.title())) {
                continue;
            }
            let Some(class) = value(facet) else { continue };
            // A claim about an exponent is its row of rates, which is counted already.
            if text(grid, cells, "rate").is_some_and(|row| !row.is_empty()) {
                continue;
            }
            theorems.extend(text(grid, cells, "theorem"));
            if repeats(grid, cells).is_some() {
                continue;
            }
            let ours = text(grid, cells, "whose") == Some(OURS);
            whose[usize::from(ours)] = text(grid, cells, "whose").map(str::to_owned);
            let tiles = &mut groups[usize::from(ours)].1;
            let words = ["class"].iter().chain(&VERDICTS).find_map(|key| text(grid, cells, key));
            let outside = usize::from(excused(grid, cells));
            let new = Tile { outside, ..Tile::of(facet, class, words.unwrap_or_default()) };
            match tiles.iter_mut().find(|tile| tile.class == class) {
                Some(tile) => {
                    tile.count += 1;
                    tile.leaning += new.leaning;
                    tile.outside += new.outside;
                }
                None => tiles.push(new),
            }
        }
        for (ours, mut tiles) in groups.into_iter().filter(|(_, tiles)| !tiles.is_empty()) {
            tiles.sort_by(|a, b| a.tone.cmp(&b.tone).then(b.count.cmp(&a.count)).then_with(|| a.class.cmp(&b.class)));
            let anchor = format!("table-{}", shown.exhibit.name);
            let total = tiles.iter().map(|tile| tile.count).sum();
            let heading = headed(heading, shown.exhibit.measured, ours);
            let theorems = Some(theorems.len()).filter(|count| (1..total).contains(count));
            let whose = whose[usize::from(ours)].take();
            found.push((rank(grid), Tiles { heading, anchor, whose, total, theorems, tiles }));
        }
    }
    found.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.anchor.cmp(&other.anchor)));
    found.into_iter().map(|(_, tiles)| tiles).collect()
}

/// The row that tells of the runs of this one already.
fn repeats<'a>(grid: &TableGrid, cells: &'a [TableCell]) -> Option<&'a str> {
    text(grid, cells, "same")?.split(',').next()
}

/// Whether a row says nothing against its theorem: its runs do not meet the theorem's conditions.
fn excused(grid: &TableGrid, cells: &[TableCell]) -> bool {
    text(grid, cells, "conditions").is_some_and(|conditions| conditions.starts_with("not met"))
}

/// The heading of verdicts of a kind: those on claims are told apart by whose they are, and whether by measured times.
fn headed(kind: &'static str, measured: bool, ours: bool) -> &'static str {
    match (kind, measured, ours) {
        ("Claims", true, false) => "Claims on time",
        ("Claims", false, true) => "Our questions",
        ("Claims", true, true) => "Our questions on time",
        _ => kind,
    }
}

/// What goes against the papers: rows of rates, costs and bounds whose runs meet the conditions of their theorems, and
/// claims that quote a paper. Errata are counted by class instead.
pub(crate) fn disagreements(exhibits: &[ShownExhibit]) -> Vec<Disagreement> {
    let mut found = Vec::new();
    for shown in exhibits {
        let exhibit = &shown.exhibit;
        if let Body::Table(grid) = &exhibit.body
            && matches!(kind(grid), Some(("Theorems" | "Bounds" | "Costs", _)))
        {
            let against = |cells: &&Vec<TableCell>| {
                let verdict = text(grid, cells, "verdict").or_else(|| text(grid, cells, "standing"));
                verdict.is_some_and(|verdict| tone(verdict) == Tone::Against)
            };
            let against: Vec<&Vec<TableCell>> =
                grid.rows.iter().filter(|cells| against(cells) && !excused(grid, cells)).collect();
            // What two rows say of the same runs is told once.
            let told = |name: &str| against.iter().any(|cells| text(grid, cells, "row") == Some(name));
            let once = against.iter().filter(|cells| !repeats(grid, cells).is_some_and(told));
            found.extend(once.map(|cells| row(grid, cells, &exhibit.name)));
        }
        // A claim about an exponent is its row of rates, which is told of already.
        let claims = exhibit.claims.iter().filter(|claim| claim.rate.is_none() && claim.quote.is_some());
        for claim in claims.filter(|claim| tone(&claim.outcome) == Tone::Against) {
            let kind = if matches!(exhibit.body, Body::Figure) { "figure" } else { "table" };
            found.push(Disagreement {
                verdict: own(&claim.outcome).to_owned(),
                about: claim.claim.clone(),
                source: claim.cited(),
                why: claim.told(),
                anchor: format!("{kind}-{}", exhibit.name),
                paper: exhibit.paper,
            });
        }
    }
    found
}

/// Rows whose own verdict is steeper, as that of their negative control is, so that they are not counted: their names,
/// and the table as an anchor.
pub(crate) fn steeper_like_controls(exhibits: &[ShownExhibit]) -> Vec<Disagreement> {
    let mut found = Vec::new();
    for shown in exhibits {
        let Body::Table(grid) = &shown.exhibit.body else { continue };
        let uncounted = |cells: &&Vec<TableCell>| {
            let verdict = text(grid, cells, "verdict").unwrap_or_default();
            verdict.starts_with(UNTESTABLE) && ["steeper", "grows faster"].iter().any(|word| verdict.contains(word))
        };
        let named = |cells: &Vec<TableCell>| Disagreement {
            about: text(grid, cells, "row").unwrap_or_default().to_owned(),
            ..row(grid, cells, &shown.exhibit.name)
        };
        found.extend(grid.rows.iter().filter(uncounted).map(named));
    }
    found
}

/// The words of a row in the column `key`.
pub(crate) fn text<'a>(grid: &TableGrid, cells: &'a [TableCell], key: &str) -> Option<&'a str> {
    match cells.get(grid.columns.iter().position(|column| column.key == key)?)? {
        TableCell::Text(text) => Some(text),
        _ => None,
    }
}

fn row(grid: &TableGrid, cells: &[TableCell], table: &str) -> Disagreement {
    let of = |key: &str| text(grid, cells, key).unwrap_or_default().to_owned();
    let source = if of("theorem").is_empty() { of("source") } else { of("theorem") };
    let verdict = if of("verdict").is_empty() { of("standing") } else { of("verdict") };
    Disagreement {
        verdict: own(&verdict).to_owned(),
        about: of("setting"),
        paper: cited(&source).0,
        source,
        why: of("why"),
        anchor: format!("table-{table}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhibit::{ClaimOutcome, Exhibit};
    use crate::table::claims::fill;
    use crate::table::claims::tests as fixture;
    use crate::table::format::{CellKind, Heading};

    fn claim(quote: Option<&str>, outcome: &str) -> ClaimOutcome {
        ClaimOutcome { quote: quote.map(str::to_owned), ..fixture::claim(outcome, None) }
    }

    /// Rows of the same runs count once; one that disagrees alone is told of all the same.
    #[test]
    fn rows_of_the_same_runs_count_once() {
        let columns = ["verdict", "theorem", "setting", "row", "same"];
        let row = |words: [&str; 5]| words.map(|word| TableCell::Text(word.into())).to_vec();
        let mut rows = vec![
            row(["steeper", "PKAWV: Theorem 6", "s", "a", ""]),
            row(["steeper", "PKAWV: Theorem 7", "t", "b", "a, to 0.02 %"]),
            row(["steeper", "PKAWV: Theorem 8", "u", "c", ""]),
            row(["matches", "PKAWV: Theorem 9", "v", "d", ""]),
            row(["steeper", "PKAWV: Theorem 9", "w", "e", "d"]),
        ];
        rows.iter_mut().filter(|row| row[4].text().is_empty()).for_each(|row| row[4] = TableCell::Empty);
        let columns = columns.map(|key| Heading::new(key, key, CellKind::Text)).to_vec();
        let body = Body::Table(TableGrid { columns, rows });
        let exhibit = Exhibit { body, ..fixture::figure("rates", None, Vec::new()) };
        let shown = [ShownExhibit { exhibit, svg: None, files: Vec::new() }];
        let [tiles] = &tiles(&shown, None)[..] else { panic!("one kind of verdicts") };
        let counted: Vec<(&str, usize)> = tiles.tiles.iter().map(|tile| (tile.class.as_str(), tile.count)).collect();
        assert_eq!(counted, [("disagrees", 2), ("agrees", 1)]);
        assert_eq!((tiles.total, tiles.theorems), (3, None), "as many theorems as rows, or more");
        let told: Vec<String> = disagreements(&shown).into_iter().map(|one| one.about).collect();
        assert_eq!(told, ["s", "u", "w"]);
    }

    /// Whatever the answer to a question of ours is, it is no claim of a paper and goes against none.
    #[test]
    fn a_question_is_never_counted_as_a_claim() {
        let claims = vec![
            claim(Some("so it is"), "supported"),
            claim(Some("so it is not"), "contradicted"),
            claim(None, "yes"),
            claim(None, "no"),
            // Not even one with a word for claims, as another version might have written it.
            claim(None, "contradicted"),
        ];
        let figure = fixture::figure("figure", None, claims);
        let grid = fill(std::slice::from_ref(&figure), &[]).grid;
        let table = Exhibit { body: Body::Table(grid), ..fixture::figure("claims", None, Vec::new()) };
        let shown = [figure, table].map(|exhibit| ShownExhibit { exhibit, svg: None, files: Vec::new() });
        let counted: Vec<_> = tiles(&shown, None).iter().map(|one| (one.heading, one.total)).collect();
        assert_eq!(counted, [("Claims", 2), ("Our questions", 3)]);
        let against = disagreements(&shown);
        let sources: Vec<&str> = against.iter().map(|one| one.source.as_str()).collect();
        assert_eq!(sources, ["\u{201c}so it is not\u{201d}, s"]);
    }
}
