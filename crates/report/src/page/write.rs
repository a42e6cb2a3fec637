//! Writes the report: `index.html`, the other pages, and `report.md`.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value};
use serde::Serialize;

use crate::error::ReportError;
use crate::exhibit::ShownExhibit;
use crate::formula;
use crate::markup;
use crate::page::content::{MissingStage, Preview, ReportContent};
use crate::page::overview::{ForestSummary, forest, found};
use crate::page::shelf::{PageSection, ReportPage, addresses, in_one, pages};
use crate::page::story::{Disagreement, Tiles, disagreements, steeper_like_controls, tiles};
use crate::page::view::{ExhibitView, view};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// The parts of the pages that are not Rust source. They belong to the code identity of the report.
pub static TEMPLATES: [(&str, &str); 12] = [
    ("index.html", include_str!("../templates/index.html")),
    ("page.html", include_str!("../templates/page.html")),
    ("layout.html", include_str!("../templates/layout.html")),
    ("parts.html", include_str!("../templates/parts.html")),
    ("page.css", include_str!("../templates/page.css")),
    ("print.css", include_str!("../templates/print.css")),
    ("page.js", include_str!("../templates/page.js")),
    ("tables.js", include_str!("../templates/tables.js")),
    ("live.js", include_str!("../templates/live.js")),
    ("uplot.js", include_str!("../templates/vendor/uPlot.iife.min.js")),
    ("uplot.css", include_str!("../templates/vendor/uPlot.min.css")),
    ("report.md", include_str!("../templates/report.md")),
];

/// The figure that the index page shows: the learner without settings beside others.
const STREAMS: &str = "streams";

/// A link to a page.
#[derive(Serialize)]
struct Link<'a> {
    file: &'a str,
    title: &'a str,
    citation: Option<&'static str>,
    tiles: &'a [Tiles],
    /// What was found, where it is the page of a paper.
    found: String,
    exhibits: usize,
}

/// What every template knows.
#[derive(Serialize)]
struct Common<'a> {
    /// The file of the page.
    current: &'a str,
    links: &'a [Link<'a>],
    profile: &'a str,
    preview: Option<String>,
    addresses: &'a BTreeMap<String, String>,
    /// Whether some figure of the page has values, so that it can be drawn anew.
    live: bool,
}

#[derive(Serialize)]
struct IndexView<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    tiles: Vec<Tiles>,
    forest: Option<ForestSummary>,
    streams: Option<ExhibitView>,
    disagreements: Vec<Disagreement>,
    /// Rows that are steeper themselves and do not count, because their controls are, too.
    uncounted: Vec<Disagreement>,
    findings: Vec<ExhibitView>,
    missing: &'a [MissingStage],
    facts: Vec<(String, String)>,
}

#[derive(Serialize)]
struct PageView<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    page: &'a ReportPage,
}

#[derive(Serialize)]
struct Markdown<'a> {
    sections: Vec<PageSection>,
    missing: &'a [MissingStage],
    facts: Vec<(String, String)>,
    profile: &'a str,
    preview: Option<String>,
}

/// All files of the report: name and contents.
pub fn files(report: &ReportContent) -> Result<Vec<(String, String)>, ReportError> {
    let environment = environment()?;
    let pages = pages(report);
    let addresses = addresses(report);
    let links: Vec<Link> = pages.iter().map(link).collect();
    let common = |current, live| Common {
        current,
        links: &links,
        profile: &report.provenance.profile,
        preview: report.preview.as_ref().map(Preview::words),
        addresses: &addresses,
        live,
    };
    let picture = |name| report.exhibits.iter().find(|shown| shown.exhibit.name == name && shown.svg.is_some());
    let index = IndexView {
        common: common("index.html", false),
        tiles: tiles(&report.exhibits, None),
        forest: forest(&report.exhibits),
        streams: picture(STREAMS).map(view),
        disagreements: disagreements(&report.exhibits),
        uncounted: steeper_like_controls(&report.exhibits),
        findings: findings(&report.exhibits).into_iter().map(view).collect(),
        missing: &report.missing,
        facts: report.provenance.facts(),
    };
    let mut files = vec![("index.html".to_owned(), render(&environment, "index.html", index)?)];
    for page in &pages {
        let view = PageView { common: common(&page.file, page.live()), page };
        files.push((page.file.clone(), render(&environment, "page.html", view)?));
    }
    let markdown = Markdown {
        sections: in_one(report),
        missing: &report.missing,
        facts: report.provenance.facts(),
        profile: &report.provenance.profile,
        preview: report.preview.as_ref().map(Preview::words),
    };
    files.push(("report.md".to_owned(), render(&environment, "report.md", markdown)?));
    Ok(files)
}

/// The figures that answer what the papers leave open, in their order.
fn findings(exhibits: &[ShownExhibit]) -> Vec<&ShownExhibit> {
    let mut found: Vec<_> = exhibits.iter().filter(|shown| shown.exhibit.finding.is_some()).collect();
    found.sort_by_key(|shown| (shown.exhibit.place, &shown.exhibit.name));
    found
}

fn link(page: &ReportPage) -> Link<'_> {
    Link {
        file: &page.file,
        title: &page.title,
        citation: page.citation,
        tiles: &page.tiles,
        found: found(&page.tiles),
        exhibits: page.exhibits(),
    }
}

fn render(environment: &Environment, template: &str, value: impl Serialize) -> Result<String, ReportError> {
    Ok(environment.get_template(template)?.render(Serde(value))?)
}

fn environment() -> Result<Environment<'static>, ReportError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|name| match name.rsplit('.').next() {
        Some("html") => AutoEscape::Html,
        _ => AutoEscape::None,
    });
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    environment.add_filter("markdown", |text: String| markup::markdown(&text));
    environment.add_filter("math", |text: String| Value::from_safe_string(formula::html(&text)));
    environment.add_filter("description", |text: String| markup::description(&text));
    environment.add_filter("address", |text: String| percent(&text));
    let mut parts = BTreeMap::new();
    for (name, text) in TEMPLATES {
        if name.ends_with(".html") || name.ends_with(".md") {
            environment.add_template(name, text)?;
        } else {
            parts.insert(name, Value::from_safe_string(text.to_owned()));
        }
    }
    environment.add_global("parts", Value::from(parts));
    Ok(environment)
}

/// Text as a part of an address.
fn percent(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhibit::Exhibit;
    use crate::table::claims::tests::figure;
    use sha2::{Digest as _, Sha256};

    /// The files of others are those that their authors published: uPlot 1.6.32 from npm.
    #[test]
    fn vendored_files_are_unchanged() {
        let hash = |name: &str| {
            let (_, text) = TEMPLATES.iter().find(|(known, _)| *known == name).unwrap();
            hex::encode(Sha256::digest(text))
        };
        assert_eq!(hash("uplot.js"), "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
        assert_eq!(hash("uplot.css"), "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04");
    }

    /// Headings are those of an author, with whatever characters.
    #[test]
    fn headings_in_markdown_are_escaped() {
        let exhibit = Exhibit { section: Some("*All* of <it>".into()), ..figure("own", None, Vec::new()) };
        let exhibits = vec![ShownExhibit { exhibit, svg: Some("<svg></svg>".into()), files: Vec::new() }];
        let made = files(&ReportContent { exhibits, ..ReportContent::default() }).unwrap();
        let (_, text) = made.iter().find(|(name, _)| name == "report.md").unwrap();
        assert!(text.contains("\n## \\*All\\* of \\<it>\n"), "{text}");
    }

    #[test]
    fn words_become_parts_of_addresses() {
        assert_eq!(percent("PKRR Taylor M=2, \u{b1}"), "PKRR%20Taylor%20M%3D2%2C%20%C2%B1");
    }
}
