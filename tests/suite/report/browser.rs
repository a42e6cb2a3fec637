//! The pages in a real browser, and the tables in a LaTeX document. What is not installed is told of, and skipped.

use std::io::Write as _;
use std::process::Command;

use noregret_report::chart::plot::SeriesShape;
use noregret_report::exhibit::{ClaimOutcome, CurveValues, PanelValues};
use noregret_report::table::format::{CellKind, Heading, TableCell, TableGrid};
use noregret_report::table::latex::{latex, latex_for_two_columns};

use super::*;

/// Tells readers of the log, which the test harness would capture, what is not tested here.
fn skip(what: &str, why: &str) {
    drop(writeln!(std::io::stderr(), "skipped the test of {what}: {why}"));
}

fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

/// The values that a figure shows, made up: three curves, one of them a line of the theory.
fn panels() -> Vec<PanelValues> {
    let x: Vec<f64> = (0..20).map(|step| (0.1 * 1.7f64.powi(step)).min(1e4)).collect();
    let curve = |label: &str, color: &str, scale: f64, exact: bool| CurveValues {
        label: label.into(),
        color: color.into(),
        dash: if exact { vec![2.0, 3.0] } else { Vec::new() },
        shape: if exact { SeriesShape::Theory } else { SeriesShape::Line },
        stops: false,
        replicates: if exact { Vec::new() } else { vec![5; x.len()] },
        x: x.clone(),
        y: x.iter().map(|x| scale * x.sqrt()).collect(),
        half_width: if exact { Vec::new() } else { x.iter().map(|x| Some(0.1 * scale * x.sqrt())).collect() },
        values: Vec::new(),
        names: Vec::new(),
        interval: if exact {
            Vec::new()
        } else {
            x.iter().map(|x| Some((0.9 * scale * x.sqrt(), 1.1 * scale * x.sqrt()))).collect()
        },
    };
    let curves = vec![
        curve("FOGD", "#0072b2", 1.0, false),
        curve("KRR, \"exact\"", "#d55e00", 0.5, false),
        curve("t^{1/2}", "#6e6e6e", 2.0, true),
    ];
    let panel = |title: &str| PanelValues {
        title: title.into(),
        x: ("round t".into(), true),
        y: ("regret".into(), true),
        names: Vec::new(),
        curves: curves.clone(),
    };
    vec![panel("one"), panel("two")]
}

fn claim(outcome: &str) -> ClaimOutcome {
    ClaimOutcome {
        claim: "FOGD loses more than KRR.".into(),
        quote: Some("online gradient descent loses more".into()),
        source: "PKAWV paper, Theorem 4".into(),
        title: Default::default(),
        outcome: outcome.into(),
        rate: None,
        learners: Vec::new(),
        rule: "The interval of the difference lies above 0.".into(),
        effect: Some(0.5),
        interval: Some((0.4, 0.6)),
        replicates: 5,
        evidence: "The difference is 0.5.".into(),
        explanation: None,
    }
}

/// A table with verdicts of all tones, details and rows of two papers.
fn rates() -> TableGrid {
    let columns = vec![
        Heading::new("verdict", "Verdict", CellKind::Prose),
        Heading::new("theorem", "Theorem", CellKind::Prose),
        Heading::new("setting", "Setting", CellKind::Prose),
        Heading::new("exponent", "Exponent \u{b1} 95 %", CellKind::Interval),
        Heading::new("row", "Row", CellKind::Text).detail(),
        Heading::new("why", "Why", CellKind::Prose).detail(),
    ];
    let verdicts = ["matches", "steeper than the bound on this range", "inconclusive", "missing: not run"];
    let mut rows = Vec::new();
    for (index, (verdict, paper)) in
        verdicts.iter().cycle().zip(["PKAWV", "Noisy data"].iter().cycle()).take(40).enumerate()
    {
        rows.push(vec![
            TableCell::Text((*verdict).into()),
            TableCell::Text(format!("{paper}: Theorem {}", index % 7)),
            TableCell::Text("lambda = 0.1, n^{1/3} <= T, a_long-name/with_parts,and=more".repeat(1 + index % 3)),
            TableCell::Interval { mean: 0.5, half_width: Some(0.0123), best: index == 3 },
            TableCell::Text(format!("row-{index}")),
            TableCell::Text("Because.".into()),
        ]);
    }
    TableGrid { columns, rows }
}

/// A small report: pictures with and without values, claims, and tables; with the CSV files beside it.
fn report(folder: &Path) -> ReportContent {
    let all = results("casp", &casp());
    let mut exhibits: Vec<ShownExhibit> = vec![shown("casp-loss", &all), shown("casp-time", &all)];
    exhibits[0].exhibit.panels = panels();
    exhibits[0].exhibit.claims = vec![claim("supported"), claim("contradicted")];
    exhibits[0].exhibit.setup = vec![("Dataset".into(), "casp, 45730 rows".into())];
    let leaderboard = table_of_runs("leaderboard", &all);
    let mut table = ShownExhibit::from_files("leaderboard", &leaderboard).unwrap();
    exhibits.push(table.clone());
    table.exhibit.name = "rates".into();
    table.exhibit.title = "Rates".into();
    table.exhibit.body = Body::Table(rates());
    table.files = vec!["rates.csv".into()];
    exhibits.push(table);
    for (name, csv) in [
        ("leaderboard", file(&leaderboard, "reports/tables/leaderboard.csv").to_vec()),
        ("rates", rates().csv().unwrap()),
    ] {
        std::fs::create_dir_all(folder.join("tables")).unwrap();
        std::fs::write(folder.join(format!("tables/{name}.csv")), csv).unwrap();
    }
    exhibits
        .iter_mut()
        .filter(|one| one.exhibit.name == "leaderboard")
        .for_each(|one| one.files = vec!["leaderboard.csv".into()]);
    ReportContent { exhibits, ..ReportContent::default() }
}

/// What readers do with the pages: tests/browser/check.mjs says what is tried. NOREGRET_BROWSER names the folder whose
/// node_modules hold playwright-core and axe-core, which `.ci/run` installs.
#[test]
fn readers_can_use_the_pages() {
    let what = "the pages in a browser";
    let Some(modules) = std::env::var_os("NOREGRET_BROWSER") else {
        return skip(what, "NOREGRET_BROWSER does not name a folder with playwright-core and axe-core");
    };
    let (Some(node), Some(chromium)) =
        (on_path(&["node"]), on_path(&["chromium", "chromium-browser", "google-chrome"]))
    else {
        return skip(what, "node or chromium is not on the PATH (Debian: apt-get install nodejs chromium)");
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files(&report(folder.path())).unwrap() {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let script = root().join("tests/browser/check.mjs");
    let output = Command::new(node).arg(script).arg(modules).arg(chromium).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// Tables in one article, by the script that `.ci/run` calls for those of a whole report: no line is too long.
#[test]
fn tables_fit_the_page_of_an_article() {
    if on_path(&["pdflatex"]).is_none() {
        return skip("tables in a LaTeX document", "pdflatex is not on the PATH (Debian: texlive-latex-recommended)");
    }
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables");
    std::fs::create_dir(&tables).unwrap();
    for (name, grid) in [("rates", rates()), ("short", TableGrid { rows: rates().rows[..5].to_vec(), ..rates() })] {
        std::fs::write(tables.join(format!("{name}.tex")), latex(&grid, "A table", "What it shows.", name)).unwrap();
        let columns = latex_for_two_columns(&grid, &[], "A table", "What it shows.", name).unwrap();
        std::fs::write(tables.join(format!("{name}-column.tex")), columns).unwrap();
    }
    let leaderboard = table_of_runs("leaderboard", &results("casp", &casp()));
    let leaderboard = text(&leaderboard, "reports/tables/leaderboard.tex");
    std::fs::write(tables.join("leaderboard.tex"), leaderboard).unwrap();
    let article = || {
        let script = root().join("tests/browser/article.sh");
        let output = Command::new(script).arg(folder.path()).arg(folder.path().join("article")).output().unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
        (output.status.success(), said)
    };
    // Fonts that are made for the first time are told of after it.
    let (fits, said) = article();
    assert!(fits && said.starts_with("5 tables and 0 figures: no line is too long\n"), "{said}");
    // It refuses a table that is wider than the line.
    let wide = leaderboard.replace("Learner", &"Learner".repeat(30));
    assert_ne!(wide, leaderboard);
    std::fs::write(tables.join("leaderboard.tex"), wide).unwrap();
    let (fits, said) = article();
    assert!(!fits && said.contains("Overfull"), "{said}");
}
