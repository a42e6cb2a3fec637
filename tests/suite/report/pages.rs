//! The pages of the report.

use super::*;

fn report() -> Report {
    let mut all = results("casp", &casp());
    all.extend(results("spline-regret", &spline()));
    let mut exhibits: Vec<Shown> = ["spline-regret", "casp-loss"].map(|name| shown(name, &all)).to_vec();
    exhibits.push(Shown::from_files("leaderboard", &table_of_runs("leaderboard", &all)).unwrap());
    Report {
        exhibits,
        missing: vec![Missing {
            stage: "fetch/susy".into(),
            reason: "no answer\nfrom <archive> | mirror".into(),
            remedy: "noregret run fetch/susy --mirror DIR".into(),
        }],
        provenance: Provenance {
            commit: "0123abc".into(),
            modified: true,
            profile: "quick".into(),
            versions: vec![("noregret".into(), "0.1.0".into())],
            machine: vec![("Processor".into(), "two cores".into())],
            cells: 70,
            unfinished_cells: 7,
            cpu_seconds: 245.0,
        },
    }
}

#[test]
fn the_page_needs_nothing_beside_itself() {
    let page = html(&report()).unwrap();
    for load in ["src=", "@import", "url(", "<link rel=\"stylesheet\"", "fetch(", "import(", "XMLHttpRequest"] {
        assert!(!page.contains(load), "the page loads something: {load}");
    }
    // The only addresses are that of the SVG name space and paths beside the page.
    assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/2000/svg").count());
    for link in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&#x2f;", "/")) {
        let beside = ["#", "data:,", "figures/", "tables/"].iter().any(|start| link.starts_with(start));
        assert!(beside, "a link leads away: {link}");
    }
}

#[test]
fn the_page_shows_everything() {
    let page = html(&report()).unwrap();
    assert_eq!(page.matches("<svg ").count(), 2);
    assert!(page.contains("id=\"figure-casp-loss\"") && page.contains("id=\"table-leaderboard\""));
    assert!(page.contains("no answer\nfrom &lt;archive&gt;"));
    assert!(page.contains("0123abc, with uncommitted changes"));
    assert!(page.contains("70, 7 of them diverged or failed") && page.contains("4 min 05 s"));
    assert!(page.contains("data-sort=\"45730") && !page.contains("{{") && !page.contains("{%"));
    let first = page.find("id=\"figure-casp-loss\"").unwrap();
    assert!(first < page.find("id=\"figure-spline-regret\"").unwrap(), "exhibits are in order");
    let source = markdown(&report()).unwrap();
    assert!(source.contains("![casp: average squared loss](figures/casp-loss.svg)"));
    assert!(
        source.contains(
            "| `fetch/susy` | no answer from \\<archive> \\| mirror | noregret run fetch/susy --mirror DIR |"
        )
    );
    let mut hostile = report();
    hostile.exhibits[0].exhibit.title = "a](x) <script>".into();
    hostile.exhibits[0].exhibit.caption = vec!["# [free](javascript:x)".into()];
    let hostile = markdown(&hostile).unwrap();
    assert!(hostile.contains("### a\\](x) \\<script>\n\n![a\\](x) \\<script>](figures/"), "{hostile}");
    assert!(hostile.contains("\n\\# [free\\](javascript:x)\n"), "{hostile}");
    assert!(source.contains("| Commit | 0123abc, with uncommitted changes |"));
    assert!(!source.contains("\n\n\n"), "no gaps");
}

#[test]
fn an_empty_report_says_that_nothing_is_missing() {
    let page = html(&Report::default()).unwrap();
    assert!(page.contains("<p>Nothing.</p>"));
    assert!(markdown(&Report::default()).unwrap().contains("Nothing."));
}

#[test]
fn exhibits_without_their_files_are_refused() {
    let error = Shown::from_files("casp-loss", &[]).unwrap_err();
    assert_eq!(error.to_string(), "casp-loss: its description (.json) was not published; run its stage again");
}

// Documentation

#[test]
fn the_readme_of_the_results_lists_the_columns_of_the_schema() {
    let readme = std::fs::read_to_string(root().join("results/README.md")).unwrap();
    for columns in [schema::IDENTITY, schema::ENDINGS, schema::CHECKPOINTS, GAUGES, schema::TIMES, schema::POINTS] {
        let table = read::describe(columns);
        assert!(readme.contains(&table), "results/README.md should hold:\n{table}");
    }
    let table = quantity::describe();
    assert!(readme.contains(&table), "results/README.md should hold:\n{table}");
}
