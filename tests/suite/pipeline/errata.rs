//! Errata are decided if a table shows them, one at a time on request, and only once.

use std::path::Path;

use super::project::Small;

fn with_errata() -> Small {
    let project = Small::new();
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline/tables/errata.toml"));
    project.write("pipeline/tables/errata.toml", &text.unwrap());
    project
}

#[test]
fn a_project_without_the_table_has_no_errata() {
    let stages = Small::new().noregret(&["list", "stages"]).stdout;
    assert!(!stages.contains("errata/"), "{stages}");
}

#[test]
fn one_item_is_decided_alone_and_once() {
    let project = with_errata();
    let first = project.run(&["errata/noisy-lemma-14"]);
    assert!(first.stderr.contains("decided for the corrected form"), "{}", first.stderr);
    assert!(!first.stderr.contains("noisy-lemma-2"), "{}", first.stderr);
    let again = project.run(&["errata/noisy-lemma-14"]);
    assert!((again.stdout + &again.stderr).contains("nothing to do"));
    let described = project.noregret(&["describe", "noisy-lemma-14"]);
    assert_eq!(described.status, 0);
    assert!(described.stdout.contains("printed: E |Psi|^2"), "{}", described.stdout);
}

#[test]
fn the_table_holds_every_item() {
    let project = with_errata();
    project.run(&["table/errata"]);
    let table = std::fs::read_to_string(project.path().join("reports/tables/errata.csv")).unwrap();
    let listed = project.noregret(&["list", "errata"]).stdout;
    let items: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(items.len() >= 40, "{listed}");
    for item in &items {
        assert!(table.contains(&format!("errata/{item}")), "{item} is missing");
    }
    assert_eq!(table.matches(",decided for the corrected form,").count(), items.len());
    assert!(!table.contains("NaN") && !table.contains("inf,"), "{table}");
}
