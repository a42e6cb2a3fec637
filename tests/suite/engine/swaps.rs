//! What is stored under a name belongs to it: under another one it is not believed.

use std::fs;
use std::path::Path;

use noregret::cli::clean;
use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::manifest;
use noregret_engine::exec::records::{record, snapshot};
use noregret_engine::plan::key::hex;
use noregret_engine::plan::reason::Reason;

use crate::engine::commands::{typed, written};
use crate::engine::toy::{Toy, Trouble, demo};

/// Swaps two files, with their times.
fn swap(one: &Path, other: &Path) {
    let aside = one.with_extension("aside");
    for (from, to) in [(one, &*aside), (other, one), (&*aside, other)] {
        fs::rename(from, to).unwrap();
    }
}

#[test]
fn objects_under_each_others_names_are_made_again() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    swap(&toy.object(1, 4), &toy.object(1, 9));
    let steps = toy.plan(&RunRequest::default()).steps;
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|step| matches!(step.reason, Reason::Damaged(_))));
    toy.run_all();
    assert_eq!(toy.results(), before);
}

#[test]
fn published_files_under_each_others_names_are_made_again() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    swap(&toy.path().join("out/figure/a.txt"), &toy.path().join("out/figure/b.txt"));
    assert_eq!(toy.run_all().made.len(), 2);
    assert_eq!(toy.results(), before);
}

#[test]
fn records_under_each_others_names_are_none() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    let place = |name: &str| toy.store().note("records", name);
    assert!(record(&toy.store(), "figure/a").is_some());
    swap(&place("figure/a"), &place("figure/b"));
    assert!(record(&toy.store(), "figure/a").is_none() && record(&toy.store(), "figure/b").is_none());
    // What the record of another stage lists is not taken for one's own.
    let listed = written(|out| clean::run(&typed(&["figure/a", "-n"]), &toy.graph(), &toy.store(), out)).0;
    assert!(!listed.contains("out/figure/b.txt"), "{listed}");
    assert_eq!(toy.run_all().made.len(), 2);
    assert_eq!(toy.results(), before);
    assert!(toy.run_all().is_noop());
}

#[test]
fn notes_under_each_others_names_are_none() {
    for (trouble, what) in [
        ([Trouble::Fail("singular"), Trouble::Fail("lost")], "failures"),
        ([Trouble::Unreachable, Trouble::Unreachable], "unavailable"),
    ] {
        let mut toy = Toy::new(demo());
        for (item, trouble) in [4, 9].into_iter().zip(trouble) {
            toy.trouble.insert(("run/grid".into(), item), trouble);
        }
        toy.run_all();
        let keys = toy.plan(&RunRequest::default()).keys[1].clone();
        let found = || {
            let snapshot = snapshot(&toy.store(), false, None).unwrap();
            let unavailable = snapshot.unavailable.keys().copied();
            let failures = snapshot.failures.keys().copied();
            [4, 9].map(|item| unavailable.clone().chain(failures.clone()).any(|key| key == keys[item]))
        };
        let note = |item: usize| toy.store().folder(what).join(format!("{}.json", hex(keys[item])));
        let swap = || swap(&note(4), &note(9));
        assert_eq!(found(), [true, true], "{what}");
        swap();
        assert_eq!(found(), [false, false], "{what}");
        swap();
        assert_eq!(found(), [true, true], "{what}");
    }
}

#[test]
fn manifests_under_each_others_names_are_none() {
    let toy = Toy::new(demo());
    toy.run_all();
    let place = |name: &str| toy.store().note("manifests", name);
    let items = |name: &str| manifest::load(&toy.store(), name).items.len();
    assert_eq!([items("figure/a"), items("run/grid")], [1, 20]);
    swap(&place("figure/a"), &place("run/grid"));
    assert_eq!([items("figure/a"), items("run/grid")], [0, 0]);
    // Neither are its items kept where only some are made.
    let mut changed = Toy { folder: toy.folder, ..Toy::new(demo()) };
    changed.stages[1].items[3].value = 99;
    changed.trouble.insert(("run/grid".into(), 99), Trouble::Fail("singular"));
    changed.stages[1].items[5].value = 98;
    changed.run_all();
    assert_eq!(manifest::load(&changed.store(), "run/grid").items.len(), 19);
}
