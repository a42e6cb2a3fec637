//! Errata are decided if a table shows them, one at a time on request, and only once.

use std::path::Path;

use noregret_core::errata::api::Class;

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
    assert!(first.stderr.contains("wrong as printed: decided for the corrected form"), "{}", first.stderr);
    assert!(!first.stderr.contains("noisy-lemma-2"), "{}", first.stderr);
    let again = project.run(&["errata/noisy-lemma-14"]);
    assert!((again.stdout + &again.stderr).contains("nothing to do"));
    let described = project.noregret(&["describe", "noisy-lemma-14"]);
    assert_eq!(described.status, 0);
    for line in ["printed: E |Psi|^2", "passage: Assuming the construction of", "class: wrong as printed: the lemma"] {
        assert!(described.stdout.contains(line), "{line}: {}", described.stdout);
    }
}

#[test]
fn the_table_holds_every_item() {
    let project = with_errata();
    let run = project.run(&["table/errata"]);
    let table = std::fs::read_to_string(project.path().join("reports/tables/errata.csv")).unwrap();
    let listed = project.noregret(&["list", "errata"]).stdout;
    let items: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(items.len() >= 40, "{listed}");
    for item in &items {
        assert!(table.contains(&format!("errata/{item}")), "{item} is missing");
    }
    // The terminal counts the classes apart, and every item is in one of them.
    let mut total = 0;
    for class in Class::ALL {
        let counted = run.stderr.lines().find_map(|line| {
            line.split_once(&format!("{}: ", class.words()))?.1.split(' ').next()?.parse::<usize>().ok()
        });
        let counted = counted.unwrap_or_else(|| panic!("{} is not counted: {}", class.words(), run.stderr));
        assert_eq!(
            table.matches(&format!("\n{},", class.words())).count()
                + table.matches(&format!("\n\"{}\",", class.words())).count(),
            counted
        );
        total += counted;
    }
    assert_eq!(total, items.len());
    assert!(!table.contains("not shown") && !table.contains("decided against the corrected form"), "{table}");
    assert!(!table.contains("NaN") && !table.contains("inf,"), "{table}");
}
