//! Which page shows which exhibit: one page for each paper, one for the project's own sections, one for what the papers
//! leave open, one for what goes across them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::exhibit::{Body, ShownExhibit};
use crate::page::content::ReportContent;
use crate::page::matrix::{ClaimMatrix, matrix};
use crate::page::story::{Tiles, kind, rank, tiles};
use crate::page::view::{ExhibitView, TableView, facets, table, view};
use crate::table::format::TableGrid;
use noregret_papers::paper::Paper;

/// A page.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReportPage {
    /// Its file name.
    pub file: String,
    /// Its title.
    pub title: String,
    /// Authors and title, for the page of a paper.
    pub citation: Option<&'static str>,
    /// What the paper proposes.
    proposes: Option<&'static str>,
    /// The verdicts on a paper.
    pub(crate) tiles: Vec<Tiles>,
    /// What the tables across the papers say of this one.
    pub(crate) excerpts: Vec<Excerpt>,
    /// Its sections.
    pub(crate) sections: Vec<PageSection>,
    /// The claims that are tested on several data sets.
    matrix: Option<ClaimMatrix>,
}

impl ReportPage {
    /// How many exhibits it shows.
    pub(crate) fn exhibits(&self) -> usize {
        self.sections.iter().map(|section| section.exhibits.len()).sum()
    }

    /// Whether some figure has values, so that it can be drawn anew.
    pub(crate) fn live(&self) -> bool {
        self.sections.iter().flat_map(|section| &section.exhibits).any(ExhibitView::live)
    }
}

/// Figures and tables under a heading.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageSection {
    heading: String,
    citation: Option<&'static str>,
    id: String,
    exhibits: Vec<ExhibitView>,
}

/// The rows of a table that are about one paper, without the columns of details.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Excerpt {
    heading: &'static str,
    id: String,
    title: String,
    /// The whole table.
    anchor: String,
    table: TableView,
}

/// The file of the page with the project's own sections.
const OWN: &str = "own.html";
/// The file of the page of what the papers leave open.
const FINDINGS: &str = "findings.html";
/// The file of the page across the papers.
const ACROSS: &str = "across.html";

/// Where an exhibit is shown: the file of its page, and the heading there.
fn place(shown: &ShownExhibit, papers: bool) -> (String, &str) {
    if shown.exhibit.finding.is_some() {
        return (FINDINGS.into(), "Findings");
    }
    match (&shown.exhibit.section, shown.exhibit.paper) {
        (Some(heading), _) => (OWN.into(), heading),
        (None, Some(paper)) => (format!("{}.html", paper.id()), paper.title()),
        (None, None) if papers => (ACROSS.into(), "Across the papers"),
        (None, None) => (OWN.into(), "Results"),
    }
}

fn papers(report: &ReportContent) -> bool {
    report.papers || report.exhibits.iter().any(|one| one.exhibit.paper.is_some())
}

/// The pages with anything to show, in the order of their links: the project's own, the papers, across the papers.
pub(crate) fn pages(report: &ReportContent) -> Vec<ReportPage> {
    let (exhibits, all) = (&report.exhibits, papers(report));
    let mut files = vec![(OWN.to_owned(), "Own experiments", None), (FINDINGS.to_owned(), "Findings", None)];
    files.extend(Paper::ALL.map(|paper| (format!("{}.html", paper.id()), paper.title(), Some(paper))));
    files.push((ACROSS.to_owned(), "Across the papers", None));
    let mut made = Vec::new();
    for (file, title, paper) in files {
        let here: Vec<&ShownExhibit> = exhibits.iter().filter(|shown| place(shown, all).0 == file).collect();
        if here.is_empty() {
            continue;
        }
        made.push(ReportPage {
            title: title.to_owned(),
            citation: paper.map(Paper::citation),
            proposes: paper.map(Paper::proposes),
            tiles: paper.map(|paper| tiles(exhibits, Some(paper))).unwrap_or_default(),
            excerpts: paper.map(|paper| excerpts(exhibits, paper)).unwrap_or_default(),
            sections: sections(&here, all),
            matrix: matrix(&here),
            file,
        });
    }
    made
}

/// The sections of all pages in one list, for a report in one file.
pub(crate) fn in_one(report: &ReportContent) -> Vec<PageSection> {
    let mut sections: Vec<PageSection> = pages(report).into_iter().flat_map(|page| page.sections).collect();
    for (index, section) in sections.iter_mut().enumerate() {
        section.id = format!("section-{}", index + 1);
    }
    sections
}

/// Sections by heading; in each, exhibits by their place, then figures before tables, then by name.
fn sections(here: &[&ShownExhibit], papers: bool) -> Vec<PageSection> {
    let mut headings: Vec<&str> = here.iter().map(|shown| place(shown, papers).1).collect();
    // What belongs nowhere comes last.
    headings.sort_by_key(|heading| (*heading == "Results", *heading));
    headings.dedup();
    let section = |(index, heading): (usize, &str)| {
        let mut shown: Vec<&&ShownExhibit> = here.iter().filter(|shown| place(shown, papers).1 == heading).collect();
        shown.sort_by_key(|one| {
            let exhibit = &one.exhibit;
            let kind = match &exhibit.body {
                Body::Figure => 0,
                Body::Table(grid) => 1 + rank(grid),
            };
            (exhibit.place.unwrap_or(u32::MAX), kind, exhibit.name.clone())
        });
        let paper = Paper::ALL.into_iter().find(|paper| paper.title() == heading && here[0].exhibit.section.is_none());
        PageSection {
            heading: heading.to_owned(),
            citation: paper.map(Paper::citation),
            id: format!("section-{}", index + 1),
            exhibits: shown.into_iter().map(|one| view(one)).collect(),
        }
    };
    headings.into_iter().enumerate().map(section).collect()
}

/// What the tables across the papers say of one paper.
fn excerpts(exhibits: &[ShownExhibit], paper: Paper) -> Vec<Excerpt> {
    let mut found = Vec::new();
    for shown in exhibits {
        let (Body::Table(grid), None) = (&shown.exhibit.body, shown.exhibit.paper) else { continue };
        let Some((heading @ ("Theorems" | "Bounds" | "Errata"), _)) = kind(grid) else { continue };
        let of_paper = |cells: &&Vec<_>| facets(grid, cells).contains(&("paper", paper.title().to_owned()));
        let rows: Vec<Vec<_>> = grid.rows.iter().filter(of_paper).cloned().collect();
        if !rows.is_empty() {
            found.push((
                rank(grid),
                Excerpt {
                    heading,
                    id: heading.to_lowercase(),
                    title: shown.exhibit.title.clone(),
                    anchor: format!("table-{}", shown.exhibit.name),
                    table: table(&TableGrid { columns: grid.columns.clone(), rows }.brief()),
                },
            ));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, excerpt)| excerpt).collect()
}

/// The address of every exhibit: its page and its anchor, by its anchor.
pub(crate) fn addresses(report: &ReportContent) -> BTreeMap<String, String> {
    let all = papers(report);
    let address = |shown: &ShownExhibit| {
        let kind = if matches!(shown.exhibit.body, Body::Figure) { "figure" } else { "table" };
        let anchor = format!("{kind}-{}", shown.exhibit.name);
        (anchor.clone(), format!("{}#{anchor}", place(shown, all).0))
    };
    report.exhibits.iter().map(address).collect()
}
