//! Failures are counted, remembered and retried. Data that cannot be reached are not a failure. Interrupts lose
//! nothing.

use std::fs;

use noregret::cli::exit::{BUSY, DONE, FAILED, of_run};
use noregret::cli::run::summary_text;
use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::gc::gc;
use noregret_engine::exec::lease::Lease;
use noregret_engine::exec::records::snapshot;
use noregret_engine::plan::reason::Reason;

use crate::engine::toy::{Toy, Trouble, demo};

#[test]
fn a_failing_cell_does_not_sink_the_grid_and_is_tried_again() {
    for (trouble, error) in [(Trouble::Fail("singular"), "singular"), (Trouble::Panic, "a toy panics on purpose")] {
        let mut toy = Toy::new(demo());
        toy.trouble.insert(("run/grid".into(), 7), trouble);
        let summary = toy.run_all();
        assert_eq!((summary.made.len(), summary.failed.len(), summary.skipped.len()), (23, 1, 0));
        assert_eq!((summary.failed[0].stage.as_str(), summary.failed[0].item.as_str()), ("run/grid", "value=7"));
        assert!(summary.failed[0].why.contains(error));
        assert_eq!(of_run(&summary, false), FAILED);
        assert!(summary_text(&summary, &Default::default()).contains("failed: run/grid value=7: "));

        let steps = toy.plan(&RunRequest::default()).steps;
        assert!(matches!(&steps[0].reason, Reason::FailedBefore(e) if e.contains(error)), "{:?}", steps[0].reason);
        let again = toy.run_all();
        assert_eq!(again.failed.len(), 1);
        assert!(toy.executed().contains(&("run/grid".to_owned(), 7)), "tried again");
        assert!(!toy.executed().contains(&("run/grid".to_owned(), 6)), "the others are not");

        toy.trouble.clear();
        let mended = toy.run_all();
        assert_eq!((mended.failed.len(), of_run(&mended, false)), (0, DONE));
        assert!(toy.run_all().is_noop());
        let clean = Toy::new(demo());
        clean.run_all();
        assert_eq!(toy.results(), clean.results());
    }
}

#[test]
fn what_needs_a_failed_item_is_not_tried() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("run/grid".into(), 3), Trouble::Fail("singular"));
    let summary = toy.run_all();
    assert_eq!((summary.failed.len(), summary.skipped.len()), (1, 1));
    assert_eq!(summary.skipped[0].stage, "figure/b");
    assert!(summary.skipped[0].why.contains("its input run/grid failed: singular"));
    assert!(toy.executed().contains(&("figure/a".to_owned(), 0)), "what can do without it is made");
    let text = fs::read_to_string(toy.path().join("out/summarise/grid.txt")).unwrap();
    assert_eq!(text.lines().count(), 21);
}

#[test]
fn fail_fast_stops_at_the_first_failure() {
    let mut toy = Toy::new(demo());
    // The last item of the grid has the largest cost, so it comes first.
    toy.trouble.insert(("run/grid".into(), 19), Trouble::Fail("singular"));
    let summary = toy.run(&RunRequest { fail_fast: true, jobs: 1, ..RunRequest::default() });
    assert_eq!(summary.failed.len(), 1);
    assert!(summary.left > 0);
    assert!(toy.executed_count() < 24);
    assert_eq!(of_run(&summary, false), FAILED);
}

#[test]
fn what_cannot_be_reached_is_no_failure() {
    for trouble in [Trouble::Unavailable, Trouble::Unreachable] {
        let mut toy = Toy::new(demo());
        toy.trouble.insert(("fetch/data".into(), 1), trouble.clone());
        let summary = toy.run_all();
        assert_eq!((summary.failed.len(), summary.skipped.len()), (0, 0), "{trouble:?}");
        assert_eq!(summary.unavailable.len(), 1 + 20 + 1, "fetch, the grid, and figure/b which needs a cell");
        assert_eq!((of_run(&summary, false), of_run(&summary, true)), (DONE, FAILED));
        assert!(summary_text(&summary, &Default::default()).contains("no network\n  remedy: plug it in"));
        let summarised = fs::read_to_string(toy.path().join("out/summarise/grid.txt")).unwrap();
        assert_eq!(summarised.lines().count(), 21, "what can do without is made");

        let second = toy.run_all();
        assert!(second.is_noop(), "remembered for a while: {:?}", toy.executed());
        assert_eq!(second.unavailable.len(), 22);
        assert!(summary_text(&second, &Default::default()).starts_with("nothing to do: 2 fresh; 3 stages unavailable"));

        if trouble == Trouble::Unreachable {
            let looking = RunRequest { targets: vec!["fetch/*".into()], ..RunRequest::default() };
            assert!(toy.planned(&looking).is_empty());
            let named = RunRequest { retry: true, ..looking };
            toy.run(&named);
            assert_eq!(toy.executed_count(), 1, "asked for by name, it is tried again");
            toy.trouble.clear();
            toy.run(&named);
        }
        toy.trouble.clear();
        assert!(toy.run_all().unavailable.is_empty());
        assert!(toy.run_all().is_noop());
        let clean = Toy::new(demo());
        clean.run_all();
        assert_eq!(toy.results(), clean.results());
    }
}

#[test]
fn gc_keeps_what_was_made_of_data_that_are_away() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    let objects = |toy: &Toy| toy.results().keys().filter(|path| path.starts_with("results")).count();
    let before = objects(&toy);
    // A file that is not there has no content, so that the keys of what was made of it are others.
    let there = std::mem::replace(&mut toy.stages[0].items[0].value, 9);
    toy.trouble.insert(("fetch/data".into(), 9), Trouble::Unavailable);
    // What the manifests do not have is in the log.
    for forgotten in [false, true] {
        if forgotten {
            fs::remove_dir_all(toy.path().join("results/store/manifests")).unwrap();
        }
        let collected = gc(&[toy.graph()], &toy.store(), false).unwrap();
        assert_eq!((collected.files.len(), collected.away, objects(&toy)), (0, 22, before));
    }
    toy.stages[0].items[0].value = there;
    assert!(toy.run_all().is_noop());
    assert_eq!(gc(&[toy.graph()], &toy.store(), false).unwrap().away, 0);
    // What was made with another value of an item is of no item that is away.
    toy.stages[1].items[3].value = 100;
    toy.run_all();
    toy.stages[0].items[0].value = 9;
    assert_eq!(gc(&[toy.graph()], &toy.store(), false).unwrap().files.len(), 1);
}

#[test]
fn what_could_not_be_reached_is_tried_again_when_circumstances_change() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("fetch/data".into(), 1), Trouble::Unreachable);
    toy.run_all();
    assert!(toy.run_all().is_noop());
    toy.circumstances = "a mirror".into();
    toy.trouble.clear();
    assert_eq!(toy.run_all().made.len(), 24);
}

#[test]
fn what_a_named_target_needs_is_tried_again() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("fetch/data".into(), 1), Trouble::Unreachable);
    toy.run_all();
    toy.trouble.clear();
    let figure = RunRequest { targets: vec!["figure/b".into()], ..RunRequest::default() };
    assert!(toy.planned(&figure).is_empty(), "commands that only look believe what is remembered");
    let summary = toy.run(&RunRequest { retry: true, ..figure });
    assert_eq!((summary.made.len(), summary.unavailable.len()), (23, 0), "all but figure/a");
    assert_eq!(toy.run_all().made.len(), 1);
}

#[test]
fn what_could_not_be_reached_is_tried_again_after_ten_minutes() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("fetch/data".into(), 1), Trouble::Unreachable);
    toy.run_all();
    let now = noregret_engine::exec::clock::now();
    let remembered = |seconds: f64| snapshot(&toy.store(), false, Some(now + seconds)).unwrap().unavailable.len();
    assert_eq!([remembered(0.0), remembered(500.0), remembered(700.0), remembered(-1e6)], [1, 1, 0, 0]);
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    for (signal, code) in [(2, 130), (15, 143)] {
        let mut toy = Toy::new(demo());
        toy.trouble.insert(("run/grid".into(), 12), Trouble::Raise(signal));
        let summary = toy.run(&RunRequest { jobs: 1, ..RunRequest::default() });
        assert_eq!((summary.signal, of_run(&summary, false)), (Some(signal), code));
        assert_eq!(summary.failed, []);
        assert!(summary.left > 0 && !summary.made.is_empty());
        assert!(summary_text(&summary, &Default::default()).contains("run the same command again"));
        let mended = Toy { folder: toy.folder, ..Toy::new(demo()) };
        let rest = mended.run_all();
        assert_eq!(rest.made.len(), summary.left);
        let clean = Toy::new(demo());
        clean.run_all();
        assert_eq!(mended.results(), clean.results());
    }
}

#[test]
fn work_that_another_run_has_is_left_to_it() {
    let toy = Toy::new(demo());
    let key = toy.plan(&RunRequest::default()).keys[1][6];
    let claim = Lease::take(&toy.store(), &key).unwrap().expect("nobody has it");
    assert!(Lease::take(&toy.store(), &key).unwrap().is_none(), "claimed once");
    let summary = toy.run(&RunRequest { no_wait: true, ..RunRequest::default() });
    assert!(summary.busy);
    assert_eq!(of_run(&summary, false), BUSY);
    assert_eq!(summary.left, 4, "the cell, and what needs it");
    drop(claim);
    assert_eq!(toy.run_all().made.len(), 4);
    assert_eq!(fs::read_dir(toy.path().join("results/store/claims")).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let toy = Toy::new(demo());
    // Permissions do not stop every user, but a file in the place of the folder does.
    fs::write(toy.path().join("results"), "in the way").unwrap();
    let result = noregret_engine::exec::engine::run(
        &toy.graph(),
        &RunRequest::default(),
        &toy.store(),
        &*toy.heard,
        &toy.interrupt,
    );
    let error = result.unwrap_err().to_string();
    assert!(error.contains("results/store"), "{error}");
    assert!(error.contains("run the same command again"), "{error}");
}
