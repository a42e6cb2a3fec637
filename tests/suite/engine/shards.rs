//! Shards: parts of a grid that run at different times, in processes that know nothing of each other.

use std::collections::BTreeSet;
use std::fs::File;
use std::time::{Duration, SystemTime};

use noregret::cli::exit::{FAILED, of_run};
use noregret::cli::run::summary_text;
use noregret_engine::exec::batch;
use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::gc::gc;
use noregret_engine::exec::request::RunScope;

use crate::engine::toy::{Toy, Trouble, demo};

const USR1: i32 = 10;

fn shard(text: &str, batch: Option<&str>) -> RunRequest {
    let scope = RunScope::Shard { shard: text.parse().unwrap(), batch: batch.map(str::to_owned) };
    RunRequest { jobs: 2, scope, ..RunRequest::default() }
}

fn no_cells() -> RunRequest {
    RunRequest { scope: RunScope::NoCells, ..RunRequest::default() }
}

/// The cells among planned or executed items.
fn cells(items: &BTreeSet<(String, usize)>) -> Vec<usize> {
    items.iter().filter(|(stage, _)| stage == "run/grid").map(|(_, item)| *item).collect()
}

#[test]
fn shards_are_the_whole_grid_and_overlap_in_nothing() {
    let toy = Toy::new(demo());
    for count in [1, 2, 3, 7, 20, 30] {
        let mut all = Vec::new();
        for index in 1..=count {
            let planned = toy.planned(&shard(&format!("{index}/{count}"), None));
            let mine = cells(&planned);
            assert!(mine.len().abs_diff(20 / count) <= 2, "shard {index}/{count} has {mine:?}");
            // Only what its cells need.
            let others: Vec<&str> = planned.iter().map(|(stage, _)| &**stage).filter(|s| *s != "run/grid").collect();
            let needed: &[&str] = if mine.is_empty() { &[] } else { &["fetch/data"] };
            assert_eq!(others, needed, "shard {index}/{count}");
            all.extend(mine);
        }
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>(), "{count} shards");
    }
}

#[test]
fn a_target_limits_shards_to_the_cells_that_it_needs() {
    let toy = Toy::new(demo());
    let of = |target: &str| {
        let request = RunRequest { targets: vec![target.into()], ..shard("1/1", None) };
        cells(&toy.planned(&request)).len()
    };
    assert_eq!([of("fetch/data"), of("figure/a"), of("run/*")], [0, 20, 20]);
}

#[test]
fn shards_one_after_the_other_and_then_the_rest_are_one_run() {
    let undisturbed = Toy::new(demo());
    undisturbed.run_all();
    for batch in [None, Some("a")] {
        let toy = Toy::new(demo());
        let mut executed = 0;
        for index in 1..=4 {
            let summary = toy.run(&shard(&format!("{index}/4"), batch));
            assert_eq!(of_run(&summary, false), 0, "{summary:?}");
            executed += toy.executed_count();
        }
        assert_eq!(executed, 21, "20 cells and their data");
        let summary = toy.run(&no_cells());
        assert_eq!((of_run(&summary, false), toy.executed_count()), (0, 3), "{summary:?}");
        assert_eq!(toy.results(), undisturbed.results());
    }
}

#[test]
fn a_batch_deals_out_what_was_missing_when_its_first_shard_began() {
    let toy = Toy::new(demo());
    toy.run(&shard("2/2", None));
    let first = toy.executed_count() - 1;
    toy.run(&shard("1/4", Some("b")));
    let mine = toy.executed_count();
    assert!(mine.abs_diff((20 - first) / 4) <= 1, "{mine} of {}", 20 - first);
    // The other shards keep to it, whatever is made meanwhile.
    let planned: usize = (2..=4).map(|i| cells(&toy.planned(&shard(&format!("{i}/4"), Some("b")))).len()).sum();
    toy.run(&shard("3/4", Some("b")));
    let third = toy.executed_count();
    let left: usize = [2, 4].map(|i| cells(&toy.planned(&shard(&format!("{i}/4"), Some("b")))).len()).iter().sum();
    assert_eq!((first + mine + planned, third + left), (20, planned));
}

#[test]
fn without_cells_the_rest_is_made_of_those_that_are_there() {
    let undisturbed = Toy::new(demo());
    undisturbed.run_all();
    let toy = Toy::new(demo());
    toy.run(&shard("1/2", None));
    let there = toy.executed_count() - 1;
    let summary = toy.run(&no_cells());
    assert!(cells(&toy.executed()).is_empty());
    assert_eq!((summary.absent, of_run(&summary, false)), (20 - there, FAILED));
    let said = summary_text(&summary, &Default::default());
    assert!(said.contains(&format!("went without {} cells that are not made", 20 - there)), "{said}");
    assert!(toy.results().keys().any(|path| path.ends_with("summarise/grid.txt")));
    // The same again changes nothing, and is not taken for the complete grid.
    toy.run(&no_cells());
    assert_eq!(toy.executed_count(), 0);
    toy.run_all();
    assert_eq!(toy.results(), undisturbed.results());
}

#[test]
fn failed_cells_are_left_out_as_in_a_whole_run() {
    let failing = || {
        let mut toy = Toy::new(demo());
        toy.trouble.insert(("run/grid".into(), 7), Trouble::Fail("cannot"));
        toy
    };
    let whole = failing();
    whole.run_all();
    let toy = failing();
    let failed: usize = (1..=3).map(|i| toy.run(&shard(&format!("{i}/3"), None)).failed.len()).sum();
    let summary = toy.run(&no_cells());
    assert_eq!((failed, summary.absent, of_run(&summary, false)), (1, 1, FAILED));
    assert_eq!(toy.results(), whole.results());
}

#[test]
fn a_warning_lets_a_cell_end_and_begins_no_other() {
    let mut toy = Toy::new(demo());
    // The last cell has the largest cost, so it comes first.
    toy.trouble.insert(("run/grid".into(), 19), Trouble::Warn);
    let summary = toy.run(&RunRequest { jobs: 1, ..shard("1/1", None) });
    assert_eq!(toy.executed(), BTreeSet::from([("fetch/data".into(), 0), ("run/grid".into(), 19)]));
    assert_eq!((summary.made.len(), summary.left, summary.signal), (2, 19, Some(USR1)));
    assert_eq!(of_run(&summary, false), 128 + USR1 as u8);
    assert!(
        summary_text(&summary, &Default::default()).contains("to go on, run the same command again"),
        "{}",
        summary_text(&summary, &Default::default())
    );
    toy.trouble.clear();
    toy.interrupt = noregret_engine::exec::interrupt::Interrupt::default();
    toy.run_all();
    assert_eq!(toy.executed_count(), 22, "the 19 others and the three after them");
}

#[test]
fn gc_removes_batches_when_they_are_a_month_old() {
    let toy = Toy::new(demo());
    for name in ["old", "new"] {
        toy.run(&shard("1/2", Some(name)));
    }
    let batches = batch::folder(&toy.store());
    let month = SystemTime::now() - Duration::from_secs(31 * 86_400);
    File::options().write(true).open(batches.join("old")).unwrap().set_modified(month).unwrap();
    gc(&[toy.graph()], &toy.store(), false).unwrap();
    assert_eq!(noregret_engine::exec::store::names(&batches).unwrap(), ["new"]);
}
