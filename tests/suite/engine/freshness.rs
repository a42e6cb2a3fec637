//! Nothing stale is kept, and nothing fresh is made again. A dry run prints the plan that a run executes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use noregret_engine::exec::engine::RunRequest;
use noregret_engine::plan::work::{ItemInput, Need};
use proptest::prelude::*;

use crate::engine::toy::{Toy, ToyItem, ToyStage, Trouble, demo, input};

/// Every path below a folder, with its modification time.
fn tree(root: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            found.insert(entry.path(), entry.metadata().unwrap().modified().unwrap());
            if entry.path().is_dir() {
                open.push(entry.path());
            }
        }
    }
    found
}

pub fn targets(names: &[&str]) -> RunRequest {
    RunRequest { targets: names.iter().map(|name| (*name).to_owned()).collect(), ..RunRequest::default() }
}

#[test]
fn the_second_run_has_nothing_to_do_and_writes_nothing() {
    let toy = Toy::new(demo());
    let first = toy.run_all();
    assert_eq!((first.planned, first.made.len(), first.fresh), (24, 24, 0));
    let before = tree(toy.path());
    let second = toy.run_all();
    assert!(second.is_noop());
    assert_eq!((second.fresh, toy.executed_count()), (24, 0));
    assert_eq!(tree(toy.path()), before);
}

#[test]
fn touching_every_file_reruns_nothing() {
    let toy = Toy::new(demo());
    toy.run_all();
    let results = toy.results();
    for path in results.keys() {
        let file = fs::File::open(toy.path().join(path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_234_567_890)).unwrap();
    }
    assert!(toy.plan(&RunRequest::default()).steps.is_empty());
    assert!(toy.run_all().is_noop());
    // Touched files got their recorded times back, so that nothing is hashed or written next time.
    let before = tree(toy.path());
    assert!(toy.run_all().is_noop());
    assert_eq!(tree(toy.path()), before);
    assert_eq!(toy.results(), results);
}

#[test]
fn editing_one_value_reruns_that_item_and_what_is_downstream() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    toy.stages[1].items[3].value = 100;
    toy.run_all();
    let expected = [("run/grid", 3), ("summarise/grid", 0), ("figure/a", 0), ("figure/b", 0)];
    assert_eq!(toy.executed(), expected.map(|(name, item)| (name.to_owned(), item)).into());
}

#[test]
fn adding_a_value_runs_only_the_new_cells_and_going_back_runs_none() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    toy.stages[1].items.insert(7, ToyItem { value: 55, inputs: vec![input(0, 0, Need::Required)] });
    toy.run_all();
    let cells: Vec<usize> = toy.executed().iter().filter(|(name, _)| name == "run/grid").map(|(_, i)| *i).collect();
    assert_eq!(cells, [7]);
    toy.stages[1].items.remove(7);
    toy.run_all();
    assert!(toy.executed().iter().all(|(name, _)| name != "run/grid"), "the old cells are still in the store");
}

#[test]
fn a_target_runs_what_it_needs_and_nothing_else() {
    let toy = Toy::new(demo());
    toy.run(&targets(&["figure/a"]));
    let stages: BTreeSet<String> = toy.executed().into_iter().map(|(name, _)| name).collect();
    assert_eq!(stages, ["fetch/data", "run/grid", "summarise/grid", "figure/a"].map(str::to_owned).into());
    toy.run(&targets(&["figure/*"]));
    assert_eq!(toy.executed(), [("figure/b".to_owned(), 0)].into());
}

#[test]
fn a_missing_intermediate_is_made_only_if_something_needs_it() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    fs::remove_file(toy.object(1, 5)).unwrap();
    assert!(toy.run(&targets(&["figure/a"])).is_noop(), "what is asked for is there");
    toy.stages[2].code = 2;
    toy.run(&targets(&["summarise/grid"]));
    assert_eq!(toy.executed(), [("run/grid".to_owned(), 5), ("summarise/grid".to_owned(), 0)].into());
}

#[test]
fn force_makes_the_targets_again_and_nothing_else() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    let summary = toy.run(&RunRequest { force: true, ..targets(&["run/grid"]) });
    assert_eq!(summary.made.len(), 20);
    assert!(toy.executed().iter().all(|(name, _)| name == "run/grid"));
    assert_eq!(toy.results(), before);
    assert!(toy.run_all().is_noop());
}

#[test]
fn equal_items_of_two_stages_are_made_once() {
    let mut stages = demo();
    stages.push(ToyStage { name: "run/again".into(), ..stages[1].clone() });
    let toy = Toy::new(stages);
    let summary = toy.run(&targets(&["run/*"]));
    assert_eq!(summary.found, 20);
    let cells = toy.executed().into_iter().filter(|(name, _)| name.starts_with("run/")).count();
    assert_eq!(cells, 20);
}

#[test]
fn one_thread_and_four_give_the_same_bytes() {
    let run = |jobs| {
        let toy = Toy::new(demo());
        toy.run(&RunRequest { jobs, ..RunRequest::default() });
        toy.results()
    };
    let one = run(1);
    assert_eq!(one.len(), 24);
    assert_eq!(one, run(4));
}

/// A random graph, in which every item reads some earlier items or whole stages.
pub fn graphs() -> impl Strategy<Value = Vec<ToyStage>> {
    let item =
        (0..50_u64, prop::collection::vec((any::<prop::sample::Index>(), any::<Option<u8>>(), any::<bool>()), 0..3));
    let stage = (any::<bool>(), prop::collection::vec(item, 1..4));
    prop::collection::vec(stage, 1..6).prop_map(|stages| {
        let sizes: Vec<usize> = stages.iter().map(|(_, items)| items.len()).collect();
        let build = |(position, (files, items)): (usize, (bool, Vec<_>))| {
            let items = items.into_iter().enumerate().map(|(index, (value, inputs)): (usize, (u64, Vec<_>))| {
                let inputs = inputs.into_iter().filter(|_| position > 0).map(
                    |(stage, item, optional): (prop::sample::Index, Option<u8>, bool)| {
                        let stage = stage.index(position);
                        let need = if optional { Need::Optional } else { Need::Required };
                        ItemInput { stage, item: item.map(|item| usize::from(item) % sizes[stage]), need }
                    },
                );
                // Values differ within a stage, so that the items have different keys.
                ToyItem { value: value * 10 + index as u64, inputs: inputs.collect() }
            });
            ToyStage { name: format!("kind{position}/s"), files, items: items.collect(), code: 1 }
        };
        stages.into_iter().enumerate().map(build).collect()
    })
}

/// A random edit.
#[derive(Clone, Debug)]
enum Edit {
    Value(prop::sample::Index, prop::sample::Index, u64),
    Code(prop::sample::Index),
    Remove(prop::sample::Index),
    Touch,
}

fn edits() -> impl Strategy<Value = Edit> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), index(), 1000..2000_u64).prop_map(|(stage, item, value)| Edit::Value(stage, item, value)),
        index().prop_map(Edit::Code),
        index().prop_map(Edit::Remove),
        Just(Edit::Touch),
    ]
}

fn apply(toy: &mut Toy, edit: &Edit) {
    match edit {
        Edit::Value(stage, item, value) => {
            let stage = stage.index(toy.stages.len());
            let items = &mut toy.stages[stage].items;
            let item = item.index(items.len());
            items[item].value = value * 10 + item as u64;
        }
        Edit::Code(stage) => {
            let stage = stage.index(toy.stages.len());
            toy.stages[stage].code += 1;
        }
        Edit::Remove(file) => {
            let results: Vec<PathBuf> = toy.results().into_keys().collect();
            if !results.is_empty() {
                fs::remove_file(toy.path().join(file.get(&results))).unwrap();
            }
        }
        Edit::Touch => {
            for path in toy.results().into_keys() {
                fs::File::open(toy.path().join(path)).unwrap().set_modified(SystemTime::now()).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// After any edits, the plan is what is executed, everything is fresh afterwards, and nothing else has changed.
    #[test]
    fn what_the_plan_says_is_what_is_executed(
        stages in graphs(),
        edits in prop::collection::vec((edits(), any::<Option<prop::sample::Index>>(), any::<bool>()), 1..5),
    ) {
        let mut toy = Toy::new(stages);
        toy.run_all();
        for (edit, target, force) in edits {
            apply(&mut toy, &edit);
            let names: Vec<&str> = target.iter().map(|index| index.get(&toy.stages).name.as_str()).collect();
            let request = RunRequest { force: force && target.is_some(), ..targets(&names) };
            let planned = toy.planned(&request);
            let before = toy.results();
            let summary = toy.run(&request);
            prop_assert_eq!(&toy.executed(), &planned);
            prop_assert_eq!(toy.executed_count(), planned.len());
            prop_assert_eq!(summary.made.len(), planned.len());
            let again = RunRequest { force: false, ..request };
            prop_assert!(toy.planned(&again).is_empty());
            if planned.is_empty() {
                prop_assert_eq!(toy.results(), before);
            }
        }
        // An undisturbed project with the final graph publishes the same bytes.
        toy.run_all();
        let clean = Toy::new(toy.stages.clone());
        clean.run_all();
        let results = toy.results();
        for (path, bytes) in clean.results() {
            prop_assert_eq!(results.get(&path), Some(&bytes), "{}", path.display());
        }
    }

    /// With failures, too, only planned steps run, and planned steps that were not executed are reported.
    #[test]
    fn with_failures_the_plan_covers_what_is_executed(
        stages in graphs(),
        failing in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..3),
    ) {
        let mut toy = Toy::new(stages);
        for (stage, item) in failing {
            let stage = stage.get(&toy.stages);
            let value = item.get(&stage.items).value;
            toy.trouble.insert((stage.name.clone(), value), Trouble::Fail("on purpose"));
        }
        for _ in 0..2 {
            let planned = toy.planned(&RunRequest::default());
            let summary = toy.run_all();
            prop_assert!(toy.executed().is_subset(&planned));
            prop_assert_eq!(
                summary.made.len() + summary.found + summary.failed.len() + summary.skipped.len(),
                planned.len()
            );
            prop_assert!(!summary.failed.is_empty());
        }
        toy.trouble.clear();
        let summary = toy.run_all();
        prop_assert!(summary.failed.is_empty() && summary.skipped.is_empty());
        prop_assert!(toy.run_all().is_noop());
        let clean = Toy::new(toy.stages.clone());
        clean.run_all();
        let results = toy.results();
        for (path, bytes) in clean.results() {
            prop_assert_eq!(results.get(&path), Some(&bytes), "{}", path.display());
        }
    }
}
