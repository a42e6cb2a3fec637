//! Errata are decided if a table shows them, one at a time on request, and only once.

use noregret_papers::claim::FormulaOrigin;
use noregret_papers::errata::api::Class;
use noregret_papers::errata::registry::ERRATA;
use noregret_papers::theorems::THEOREMS;
use noregret_study::config::study::ItemKind;

use super::project::Small;
use crate::studies::text;

fn with_errata() -> Small {
    let project = Small::new();
    project.write("pipeline/tables/errata.toml", &text(ItemKind::Table, "errata"));
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
    let pitfall = |id: &str| ERRATA.iter().any(|erratum| erratum.id == id && erratum.class == Class::Pitfall);
    let items: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    let (pitfalls, items): (Vec<&str>, Vec<&str>) = items.into_iter().partition(|id| pitfall(id));
    assert!(items.len() >= 40, "{listed}");
    for item in &items {
        assert!(table.contains(&format!("errata/{item}")), "{item} is missing");
    }
    // The terminal counts the classes apart, and every item is in one of them.
    let mut total = 0;
    assert!(pitfalls.len() >= 5 && pitfalls.iter().all(|item| !table.contains(item)), "{table}");
    for class in Class::ALL.into_iter().filter(|class| *class != Class::Pitfall) {
        let counted = run.stderr.lines().find_map(|line| {
            line.split_once(&format!("{}: ", class.words()))?.1.split(' ').next()?.parse::<usize>().ok()
        });
        let counted = counted.unwrap_or_else(|| panic!("{} is not counted: {}", class.words(), run.stderr));
        let listed = [format!(",{},", class.words()), format!(",\"{}\",", class.words())];
        let of_class = |line: &&str| listed.iter().any(|field| line.contains(field));
        assert_eq!(table.lines().filter(of_class).count(), counted, "{}", class.words());
        total += counted;
    }
    assert_eq!(total, items.len());
    assert!(!table.contains("not shown") && !table.contains("decided against the corrected form"), "{table}");
    assert!(!table.contains("NaN") && !table.contains("inf,"), "{table}");
}

/// Pitfalls have a table of their own, and words of their own: nothing was printed anywhere.
#[test]
fn pitfalls_stand_apart() {
    let project = with_errata();
    project.write("pipeline/tables/pitfalls.toml", &text(ItemKind::Table, "pitfalls"));
    project.run(&["table/pitfalls"]);
    let table = std::fs::read_to_string(project.path().join("reports/tables/pitfalls.csv")).unwrap();
    for erratum in ERRATA.iter() {
        let row = table.contains(&format!("errata/{}", erratum.id));
        assert_eq!(row, erratum.class == Class::Pitfall, "{}", erratum.id);
    }
    assert!(!table.contains("printed") && !table.contains("not shown"), "{table}");
    let described = project.noregret(&["describe", "beyond-conformal-rank"]).stdout;
    for line in ["class: pitfall, printed nowhere: ", "  shortcut: ", "  instead: "] {
        assert!(described.contains(line), "{line}: {described}");
    }
    assert!(!described.contains("passage"), "{described}");
}

/// `noregret describe` says of every theorem its formula, what it assumes and what its symbols mean; the errata that it
/// names exist; and it computes the radius W of a target from norm, angle and kernel.
#[test]
fn theorems_are_described_in_full() {
    let project = with_errata();
    for theorem in THEOREMS.iter() {
        let FormulaOrigin::Corrected { errata, .. } = theorem.claim.form else { continue };
        for id in errata {
            assert!(ERRATA.iter().any(|erratum| erratum.id == *id), "{}: there is no erratum {id}", theorem.name);
        }
    }
    let described = project.noregret(&["describe", "noisy-theorem-5"]).stdout;
    for part in
        ["formula: E sum_t", "corrected; printed:", "equation-8", "assumptions", "symbols", "not of k", "COLT 2010"]
    {
        assert!(described.contains(part), "{part}: {described}");
    }
    let with = |theorem: &str, set: &[&str]| {
        let set = set.iter().flat_map(|set| ["--set", set]);
        project.noregret(&["describe", theorem].into_iter().chain(set).collect::<Vec<_>>())
    };
    // k(1, .) - k(-1, .) with the Gaussian kernel of bandwidth 1 behind noise of variance 1/2: W = 2^(3/4).
    let found = with("noisy-theorem-3", &["norm=1.3150397079657992", "angle=1.4350444756099092", "covariance=0.5"]);
    assert!(found.stdout.contains("W = 1.6817928305"), "{}", found.stdout);
    for (theorem, set) in [("noisy-theorem-3", "norm=-1"), ("noisy-theorem-3", "norm"), ("noisy-theorem-1", "norm=1")] {
        let refused = with(theorem, &[set]);
        assert!(refused.status == 2 && refused.stderr.contains("--set"), "{theorem} {set}: {}", refused.stderr);
    }
}
