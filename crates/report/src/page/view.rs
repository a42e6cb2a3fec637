//! Exhibits as the templates show them.

use serde::Serialize;

use crate::exhibit::{Body, ClaimOutcome, PART, ShownExhibit};
use crate::number::{difference, plus_minus};
use crate::page::embed::embedded;
use crate::page::inline::inlined;
use crate::page::verdict::{Tone, class, tone};
use crate::rates::cited;
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};
use crate::table::latex::latex;

/// A figure or table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExhibitView {
    /// What links to it.
    pub id: String,
    kind: &'static str,
    name: String,
    /// Its stage, as on the command line.
    pub stage: String,
    title: String,
    /// What was found, where a claim of it is decided.
    found: Option<String>,
    /// Where none is: that the claim which would say it is not decided, and about how many seeds would decide it.
    open: Option<String>,
    /// The first paragraph of its caption.
    caption: String,
    /// The others.
    notes: Vec<String>,
    measured: bool,
    finding: Option<String>,
    claims: Vec<ClaimView>,
    setup: Vec<(String, String)>,
    svg: Option<String>,
    /// What the enlarged figure draws, as JSON.
    values: Option<String>,
    /// The files beside the page: their kind (`PDF`), and the path from the page.
    files: Vec<(String, String)>,
    /// The path of the picture from the page.
    picture: String,
    markdown: String,
    table: Option<TableView>,
}

/// A claim with its outcome.
#[derive(Clone, Debug, Serialize)]
struct ClaimView {
    claim: String,
    source: String,
    outcome: String,
    class: String,
    tone: Tone,
    effect: Option<String>,
    rule: String,
    evidence: String,
}

/// A table.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TableView {
    columns: Vec<ColumnView>,
    rows: Vec<RowView>,
    /// The table for a LaTeX document.
    tex: String,
}

#[derive(Clone, Debug, Serialize)]
struct ColumnView {
    key: String,
    title: String,
    numeric: bool,
    interval: bool,
    detail: bool,
}

#[derive(Clone, Debug, Serialize)]
struct RowView {
    facets: Vec<(&'static str, String)>,
    cells: Vec<CellView>,
}

#[derive(Clone, Debug, Serialize)]
struct CellView {
    text: String,
    /// A line through the values, as the path of a picture of 60 times 16 whose middle is 0.
    line: Option<String>,
    sort: Option<f64>,
    half: Option<f64>,
    numeric: bool,
    prose: bool,
    /// Whether it holds words, in which formulas can be.
    words: bool,
    best: bool,
    detail: bool,
    tone: Option<Tone>,
}

impl ExhibitView {
    /// Whether it has values, so that it can be drawn anew.
    pub(crate) fn live(&self) -> bool {
        self.values.is_some()
    }
}

/// An exhibit for the templates.
pub(crate) fn view(shown: &ShownExhibit) -> ExhibitView {
    let exhibit = &shown.exhibit;
    let (kind, grid) = match &exhibit.body {
        Body::Figure => ("figure", None),
        Body::Table(grid) => ("table", Some(grid)),
    };
    let found = exhibit.claims.iter().find_map(|claim| claim.title.of(&claim.outcome));
    let mut caption = exhibit.caption.iter().cloned();
    let file = |extension: &str| format!("{}/{}.{extension}", exhibit.folder(), exhibit.name);
    ExhibitView {
        id: format!("{kind}-{}", exhibit.name),
        kind,
        name: exhibit.name.clone(),
        stage: format!("{kind}/{}", exhibit.name),
        title: exhibit.title.clone(),
        found: found.map(str::to_owned),
        open: exhibit.claims.iter().filter(|_| found.is_none()).find_map(ClaimOutcome::undecided),
        caption: caption.next().unwrap_or_default(),
        notes: caption.collect(),
        measured: exhibit.measured,
        finding: exhibit.finding.clone(),
        claims: exhibit.claims.iter().map(claim).collect(),
        setup: exhibit.setup.clone(),
        svg: shown.svg.as_deref().map(|svg| inlined(svg, &format!("s-{}", exhibit.name))),
        values: (!exhibit.panels.is_empty()).then(|| embedded(&exhibit.panels)),
        files: shown.files.iter().filter_map(|file| link(file, exhibit.folder())).collect(),
        picture: file("svg"),
        markdown: grid.map(|grid| grid.brief().markdown()).unwrap_or_default(),
        table: grid.map(|grid| {
            let shows = exhibit.caption.first().map_or("", String::as_str);
            let tex = latex(grid, &exhibit.title, shows, &exhibit.name);
            TableView { tex, ..table(grid) }
        }),
    }
}

/// The name that readers know a file's kind by, and its path from the page; none for what the page itself shows.
fn link(file: &str, folder: &str) -> Option<(String, String)> {
    let (stem, extension) = file.rsplit_once('.')?;
    if matches!(extension, "json" | "md") {
        return None;
    }
    let (stem, size) = match stem.rsplit_once('-') {
        Some((stem, size @ ("column" | "text"))) => (stem, Some(format!("{size} width"))),
        _ => (stem, None),
    };
    let part = stem.rsplit_once(PART).map(|(_, number)| format!("part {number}"));
    let kind = if extension == "tex" { "TeX".to_owned() } else { extension.to_uppercase() };
    let which: Vec<String> = size.into_iter().chain(part).collect();
    let kind = if which.is_empty() { kind } else { format!("{kind} ({})", which.join(", ")) };
    Some((kind, format!("{folder}/{file}")))
}

fn claim(outcome: &ClaimOutcome) -> ClaimView {
    let effect = outcome.effect.map(|effect| match outcome.interval {
        Some((low, high)) if (effect - low - (high - effect)).abs() <= 1e-6 * (high - low).abs() => {
            plus_minus(effect, Some(0.5 * (high - low)))
        }
        Some((low, high)) => {
            format!("{} [{}, {}]", plus_minus(effect, None), plus_minus(low, None), plus_minus(high, None))
        }
        None => plus_minus(effect, None),
    });
    ClaimView {
        claim: outcome.claim.clone(),
        source: outcome.cited(),
        outcome: outcome.outcome.clone(),
        class: class(&outcome.outcome).to_owned(),
        tone: tone(&outcome.outcome),
        effect,
        rule: outcome.rule.clone(),
        evidence: outcome.told(),
    }
}

/// A table for the templates, without its LaTeX.
pub(crate) fn table(grid: &TableGrid) -> TableView {
    let numeric = |kind: CellKind| !matches!(kind, CellKind::Text | CellKind::Prose);
    let column = |column: &Heading| ColumnView {
        key: column.key.clone(),
        title: column.title.clone(),
        numeric: numeric(column.kind),
        interval: column.kind == CellKind::Interval,
        detail: column.detail,
    };
    let cell = |(column, cell): (&Heading, &TableCell)| CellView {
        text: match cell {
            TableCell::Trend(values) => values.last().map(|last| difference(*last)).unwrap_or_default(),
            _ => cell.text(),
        },
        line: match cell {
            TableCell::Trend(values) => Some(line(values)),
            _ => None,
        },
        // Values that are not finite are sorted like empty cells.
        sort: cell.number().filter(|value| value.is_finite()),
        half: match cell {
            TableCell::Interval { half_width, .. } => half_width.filter(|width| width.is_finite()),
            _ => None,
        },
        numeric: numeric(column.kind),
        prose: column.kind == CellKind::Prose,
        words: column.kind.is_words() && !NAMES.contains(&column.key.as_str()),
        best: cell.best(),
        detail: column.detail,
        tone: VERDICTS.contains(&column.key.as_str()).then(|| tone(&cell.text())),
    };
    let row = |cells: &Vec<TableCell>| RowView {
        facets: facets(grid, cells),
        cells: grid.columns.iter().zip(cells).map(cell).collect(),
    };
    TableView {
        columns: grid.columns.iter().map(column).collect(),
        rows: grid.rows.iter().map(row).collect(),
        ..TableView::default()
    }
}

/// The path through these values, scaled to the largest, or to 0.1 if all are smaller.
fn line(values: &[f64]) -> String {
    let largest = values.iter().fold(0.1_f64, |largest, value| largest.max(value.abs()));
    let step = 60.0 / (values.len().max(2) - 1) as f64;
    let at = |(index, value): (usize, &f64)| {
        format!("{:.0} {:.1}", index as f64 * step, 8.0 - 7.0 * value / largest).replace(".0", "")
    };
    format!("M{}", values.iter().enumerate().map(at).collect::<Vec<_>>().join("L"))
}

/// Columns of words that are typed as they stand, so that nothing in them is a formula.
const NAMES: [&str; 9] = ["row", "same", "id", "stage", "learner", "dataset", "experiment", "figure", "parameters"];

/// Columns that hold verdicts.
pub(crate) const VERDICTS: [&str; 3] = ["verdict", "standing", "outcome"];

/// What a row can be chosen by, and its values there.
pub(crate) fn facets(grid: &TableGrid, cells: &[TableCell]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for (column, cell) in grid.columns.iter().zip(cells) {
        let TableCell::Text(text) = cell else { continue };
        match column.key.as_str() {
            "theorem" => {
                let (paper, place) = cited(text);
                found.extend(paper.map(|paper| ("paper", paper.title().to_owned())));
                found.push(("theorem", place.to_owned()));
            }
            "paper" => found.push(("paper", text.clone())),
            "learner" => found.push(("learner", text.clone())),
            "dataset" => found.push(("dataset", text.clone())),
            key @ ("class" | "whose") => found.push((if key == "class" { "class" } else { "whose" }, text.clone())),
            key if VERDICTS.contains(&key) => found.push(("verdict", class(text).to_owned())),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_can_be_chosen_by_paper_theorem_and_verdict() {
        let columns = ["verdict", "theorem", "setting"].map(|key| Heading::new(key, key, CellKind::Text)).to_vec();
        let cells = ["inconclusive (if this difference is real)", "PKAWV: Theorem 4", "d = 1"];
        let rows = vec![cells.map(|text| TableCell::Text(text.into())).to_vec()];
        let grid = TableGrid { columns, rows };
        let found = facets(&grid, &grid.rows[0]);
        let expected = [("verdict", "not decided"), ("paper", "PKAWV"), ("theorem", "Theorem 4")];
        assert_eq!(found, expected.map(|(key, value)| (key, value.to_owned())));
        assert_eq!(cited("A: Theorem 4"), (None, "A: Theorem 4"));
    }

    #[test]
    fn lines_have_zero_in_the_middle() {
        assert_eq!(line(&[0.2, 0.0, -0.1]), "M0 1L30 8L60 11.5");
        assert_eq!(line(&[0.01]), "M0 7.3");
    }

    #[test]
    fn files_are_linked_by_kind_and_size() {
        assert_eq!(link("a-column.pdf", "figures"), Some(("PDF (column width)".into(), "figures/a-column.pdf".into())));
        let part = link("a-part-2-text.pdf", "figures").unwrap();
        assert_eq!(part.0, "PDF (text width, part 2)");
        assert_eq!(link("a.tex", "tables"), Some(("TeX".into(), "tables/a.tex".into())));
        assert_eq!(link("a.json", "tables"), None);
    }
}
