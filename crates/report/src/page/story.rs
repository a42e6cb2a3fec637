//! What the report shows first: how many verdicts of each class there are, and what disagrees with the papers and why.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::exhibit::{Body, ShownExhibit};
use crate::page::verdict::{Tone, class, tone};
use crate::page::view::facets;
use crate::rates::cited;
use crate::table::format::{TableCell, TableGrid};
use noregret_papers::paper::Paper;

/// Verdicts of one kind, by class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tiles {
    /// What the verdicts are on.
    pub heading: &'static str,
    /// The table of their rows, as an anchor.
    pub anchor: String,
    /// How many there are.
    pub total: usize,
    /// How many theorems they are on, where several rows are on one.
    pub theorems: Option<usize>,
    /// The classes, with those that go against the papers first.
    pub tiles: Vec<Tile>,
}

/// The number of verdicts of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tile {
    /// The facet that chooses these rows: `verdict`, or `class` for errata.
    pub facet: &'static str,
    /// The class.
    pub class: String,
    /// How it stands to the papers.
    pub tone: Tone,
    /// How many rows have it.
    pub count: usize,
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
    pub anchor: String,
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
        let heading = if shown.exhibit.measured && heading == "Claims" { "Claims on time" } else { heading };
        let mut tiles: Vec<Tile> = Vec::new();
        let mut theorems = BTreeSet::new();
        for cells in &grid.rows {
            let facets = facets(grid, cells);
            let value = |key: &str| facets.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
            if paper.is_some_and(|paper| value("paper") != Some(paper.title())) {
                continue;
            }
            let Some(class) = value(facet) else { continue };
            theorems.extend(text(grid, cells, "theorem"));
            match tiles.iter_mut().find(|tile| tile.class == class) {
                Some(tile) => tile.count += 1,
                None => tiles.push(Tile { facet, class: class.to_owned(), tone: tone(class), count: 1 }),
            }
        }
        if tiles.is_empty() {
            continue;
        }
        tiles.sort_by(|a, b| a.tone.cmp(&b.tone).then(b.count.cmp(&a.count)).then_with(|| a.class.cmp(&b.class)));
        let anchor = format!("table-{}", shown.exhibit.name);
        let total = tiles.iter().map(|tile| tile.count).sum();
        let theorems = Some(theorems.len()).filter(|count| (1..total).contains(count));
        found.push((rank(grid), Tiles { heading, anchor, total, theorems, tiles }));
    }
    found.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.anchor.cmp(&other.anchor)));
    found.into_iter().map(|(_, tiles)| tiles).collect()
}

/// Whether a row says nothing against its theorem: its runs do not meet the theorem's conditions.
fn excused(grid: &TableGrid, cells: &[TableCell]) -> bool {
    text(grid, cells, "conditions").is_some_and(|conditions| conditions.starts_with("not met"))
}

/// What goes against the papers: rows of rates, costs and bounds whose runs meet the conditions of their theorems, and
/// claims. Errata are counted by class instead.
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
            let against = |cells: &&Vec<TableCell>| against(cells) && !excused(grid, cells);
            found.extend(grid.rows.iter().filter(against).map(|cells| row(grid, cells, &exhibit.name)));
        }
        // A claim about an exponent is its row of rates, which is told of already.
        let own = exhibit.claims.iter().filter(|claim| claim.rate.is_none());
        for claim in own.filter(|claim| tone(&claim.outcome) == Tone::Against) {
            let kind = if matches!(exhibit.body, Body::Figure) { "figure" } else { "table" };
            found.push(Disagreement {
                verdict: class(&claim.outcome).to_owned(),
                about: claim.claim.clone(),
                source: claim.source.clone(),
                why: claim.evidence.clone(),
                anchor: format!("{kind}-{}", exhibit.name),
                paper: exhibit.paper,
            });
        }
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
        verdict: class(&verdict).to_owned(),
        about: of("setting"),
        paper: cited(&source).0,
        source,
        why: of("why"),
        anchor: format!("table-{table}"),
    }
}
