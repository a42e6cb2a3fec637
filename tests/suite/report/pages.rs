//! The pages of the report.

use noregret_report::table::format::{CellKind, Heading, TableCell, TableGrid};

use super::*;

fn report() -> ReportContent {
    let mut all = results("casp", &casp());
    all.extend(results("spline-regret", &spline()));
    let mut exhibits: Vec<ShownExhibit> = ["spline-regret", "casp-loss"].map(|name| shown(name, &all)).to_vec();
    exhibits.push(ShownExhibit::from_files("leaderboard", &table_of_runs("leaderboard", &all)).unwrap());
    ReportContent {
        exhibits,
        papers: true,
        missing: vec![MissingStage {
            stage: "fetch/susy".into(),
            reason: "no answer\nfrom <archive> | mirror".into(),
            remedy: "noregret run fetch/susy --mirror DIR".into(),
        }],
        provenance: ReportProvenance {
            commit: "0123abc".into(),
            modified: true,
            profile: "quick".into(),
            versions: vec![("noregret".into(), "0.1.0".into())],
            machine: vec![("Processor".into(), "two cores".into())],
            cells: 70,
            unfinished_cells: 7,
            cpu_seconds: 245.0,
        },
        preview: Some(Preview {
            design: "paper".into(),
            here: Size { runs: 10, rounds: 1000, replicates: 5 },
            full: Size { runs: 100, rounds: 50_000, replicates: 20 },
        }),
    }
}

/// A page of the report by its file name.
fn page(report: &ReportContent, name: &str) -> String {
    let made = files(report).unwrap();
    let names: Vec<&String> = made.iter().map(|(name, _)| name).collect();
    made.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no {name} among {names:?}")).1.clone()
}

/// No page exists only because something else could not be made: it would stay when that is there again.
#[test]
fn what_is_missing_adds_no_page() {
    let names = |papers: bool| -> Vec<String> {
        let exhibits = report().exhibits.into_iter().filter(|shown| shown.exhibit.name == "leaderboard").collect();
        files(&ReportContent { exhibits, papers, ..report() }).unwrap().into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(true), ["index.html", "across.html", "report.md"]);
    assert_eq!(names(false), ["index.html", "own.html", "report.md"]);
}

#[test]
fn pages_need_nothing_beside_themselves() {
    let made = files(&report()).unwrap();
    let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["index.html", "pkawv.html", "across.html", "report.md"]);
    for (name, page) in made.iter().filter(|(name, _)| name.ends_with(".html")) {
        for load in ["src=", "@import", "url(", "<link rel=\"stylesheet\"", "fetch(", "import(", "XMLHttpRequest"] {
            assert!(!page.contains(load), "{name} loads something: {load}");
        }
        // The only addresses are the SVG name space, the home of uPlot in its own first line, and paths beside the page.
        let known = ["http://www.w3.org/2000/svg", "https://github.com/leeoniya/uPlot"];
        let count: usize = known.iter().map(|address| page.matches(address).count()).sum();
        assert_eq!(page.matches("http").count(), count, "{name}");
        for link in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&#x2f;", "/")) {
            let file = link.split(['#', '?']).next().unwrap();
            let beside = link == "data:,"
                || link.starts_with("${")
                || file.is_empty()
                || names.contains(&file)
                || ["figures/", "tables/", "timings/"].iter().any(|start| file.starts_with(start));
            assert!(beside, "{name}: a link leads away: {link}");
        }
    }
}

/// Every anchor that a page links to is there, on this page or on the other one.
#[test]
fn links_lead_somewhere() {
    let made = files(&report()).unwrap();
    for (name, page) in made.iter().filter(|(name, _)| name.ends_with(".html")) {
        let markup = page.split("<script").next().unwrap().to_owned() + page.split("<body").nth(1).unwrap();
        let links = markup.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&#x2f;", "/"));
        for link in links {
            let Some((file, anchor)) = link.split_once('#') else { continue };
            let anchor = anchor.split('?').next().unwrap();
            let file = if file.is_empty() { name } else { file };
            let target = made.iter().find(|(found, _)| found == file);
            if anchor.is_empty() || link.starts_with('$') || anchor.starts_with('$') {
                continue;
            }
            assert!(target.is_some_and(|(_, page)| page.contains(&format!("id=\"{anchor}\""))), "{name}: {link}");
        }
    }
}

#[test]
fn the_pages_show_everything() {
    let report = report();
    let paper = page(&report, "pkawv.html");
    assert_eq!(paper.matches("<svg ").count(), 2);
    assert!(!paper.contains("<desc>"), "captions are not told twice");
    assert!(paper.contains("id=\"figure-casp-loss\""));
    assert!(!paper.contains("{{") && !paper.contains("{%"));
    // Not in that of the alphabet: remark 2.1 comes before the experiments.
    let first = paper.find("id=\"figure-spline-regret\"").unwrap();
    assert!(first < paper.find("id=\"figure-casp-loss\"").unwrap(), "exhibits are in the order of the paper");
    let across = page(&report, "across.html");
    assert!(across.contains("id=\"table-leaderboard\"") && across.contains("data-sort=\"45730"));
    assert!(across.contains("data-learner=\"FOGD\"") && across.contains("data-half="));
    let index = page(&report, "index.html");
    assert!(index.contains("no answer\nfrom &lt;archive&gt;"));
    assert!(index.contains("0123abc, with uncommitted changes"));
    assert!(
        index.contains("70, 7 of them without a result: not made, diverged or failed") && index.contains("4 min 05 s")
    );
    assert!(index.contains("href=\"pkawv.html\"") && index.contains("href=\"across.html\""));
    assert!(index.contains("1000 rounds in 10 runs with up to 5 replicates"), "the banner of a preview");
    let source = page(&report, "report.md");
    assert!(source.contains("![casp: average squared loss](figures/casp-loss.svg)"));
    assert!(
        source.contains(
            "| `fetch/susy` | no answer from \\<archive> \\| mirror | noregret run fetch/susy --mirror DIR |"
        )
    );
    assert!(source.contains("  - [casp: average squared loss](#figure-casp-loss)\n"), "{source}");
    assert!(source.contains("<a id=\"figure-casp-loss\"></a>\n\n### casp: average squared loss\n"));
    let mut hostile = report;
    hostile.exhibits[0].exhibit.title = "a](x) <script>".into();
    hostile.exhibits[0].exhibit.caption = vec!["# [free](javascript:x)".into()];
    let hostile = page(&hostile, "report.md");
    assert!(hostile.contains("### a\\](x) \\<script>\n"), "{hostile}");
    assert!(hostile.contains("![a\\](x) \\<script>](figures/"), "{hostile}");
    assert!(hostile.contains("\n\\# [free\\](javascript:x)\n"), "{hostile}");
    assert!(source.contains("| Commit | 0123abc, with uncommitted changes |"));
    assert!(!source.contains("\n\n\n"), "no gaps");
}

/// Verdicts are counted from the rows that the tiles link to, and what goes against a paper is told with its reason.
#[test]
fn the_index_counts_verdicts_and_tells_what_disagrees() {
    let mut report = report();
    let columns = ["verdict", "theorem", "setting", "why"];
    let row = |verdict: &str, theorem: &str| {
        let cells = [verdict, theorem, "a setting", "Because of <b>"];
        cells.map(|text| TableCell::Text(text.into())).to_vec()
    };
    let rows = vec![
        row("matches", "PKAWV: Theorem 4"),
        row("matches; curved", "Noisy data: Theorem 6"),
        row("steeper than the bound on this range", "Noisy data: Theorem 7"),
    ];
    let grid = TableGrid { columns: columns.map(|key| Heading::new(key, key, CellKind::Prose)).to_vec(), rows };
    let mut rates = report.exhibits[2].clone();
    rates.exhibit.name = "rates".into();
    rates.exhibit.body = Body::Table(grid);
    report.exhibits.push(rates);
    let mut claims = report.exhibits[2].clone();
    claims.exhibit.name = "claims".into();
    let cells = |paper: &str| ["supported", "It is so.", paper].map(|text| TableCell::Text(text.into())).to_vec();
    let columns = ["outcome", "claim", "paper"].map(|key| Heading::new(key, key, CellKind::Text)).to_vec();
    claims.exhibit.body = Body::Table(TableGrid { columns, rows: vec![cells("PKAWV"), cells("Noisy data")] });
    report.exhibits.push(claims);
    let index = page(&report, "index.html");
    assert!(
        index.contains("href=\"across.html#table-rates?verdict=agrees\"><b>2</b> <span>agrees</span></a>"),
        "{index}"
    );
    let against = "?verdict=disagrees\"><b>1</b>";
    assert!(index.contains(against), "{index}");
    assert!(index.contains("a setting</a> <span class=\"source\">Noisy data: Theorem 7</span>"), "{index}");
    assert!(index.contains("<p>Because of &lt;b&gt;</p>"), "{index}");
    let paper = page(&report, "pkawv.html");
    assert!(paper.contains("?verdict=agrees&amp;paper=PKAWV\"><b>1</b> <span>agrees"), "{paper}");
    assert!(paper.contains("#table-claims?verdict=agrees&amp;paper=PKAWV\"><b>1</b> <span>agrees"), "{paper}");
    assert!(paper.contains("id=\"theorems\"") && !paper.contains("Theorem 7"), "only rows of this paper");
}

#[test]
fn an_empty_report_says_that_nothing_is_missing() {
    assert!(
        page(&ReportContent::default(), "index.html")
            .contains("<p>No figure or table is missing. If one of them leaves something out, its notes say so.</p>")
    );
    assert!(
        page(&ReportContent::default(), "report.md")
            .contains("No figure or table is missing. If one of them leaves something out, its notes say so.")
    );
}

#[test]
fn exhibits_without_their_files_are_refused() {
    let error = ShownExhibit::from_files("casp-loss", &[]).unwrap_err();
    assert_eq!(error.to_string(), "casp-loss: its description (.json) was not published; run its stage again");
}
