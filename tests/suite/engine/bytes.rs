//! A product is stale when the bytes of its inputs changed under an unchanged key, whoever changed them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use noregret::cli::exit::DONE;
use noregret::cli::{run, status};
use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::key::{content, hex};
use noregret_engine::plan::reason::Reason;
use noregret_engine::plan::work::Need;
use proptest::prelude::*;

use crate::engine::commands::{explained, typed, written};
use crate::engine::damage::damage;
use crate::engine::freshness::{graphs, targets};
use crate::engine::toy::{Toy, ToyItem, Trouble, demo, input};

fn forced(names: &[&str]) -> RunRequest {
    RunRequest { force: true, ..targets(names) }
}

/// From now on, the item comes out with different bytes for each number.
fn otherwise(toy: &mut Toy, stage: &str, value: u64, number: u64) {
    toy.trouble.insert((stage.to_owned(), value), Trouble::Otherwise(number));
}

/// The stages that ran, and how many of their items ran.
fn executed(toy: &Toy) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    toy.executed().into_iter().for_each(|(stage, _)| *counts.entry(stage).or_insert(0) += 1);
    counts
}

fn counts(stages: &[(&str, usize)]) -> BTreeMap<String, usize> {
    stages.iter().map(|&(stage, count)| (stage.to_owned(), count)).collect()
}

#[test]
fn readers_of_a_cell_that_was_forced_to_other_bytes_are_made_again() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    otherwise(&mut toy, "run/grid", 3, 1);
    let summary = toy.run(&forced(&["run/grid"]));
    assert_eq!((summary.made.len(), summary.outdated), (20, 2), "the summary, and the figure that reads this cell");
    assert!(
        run::summary_text(&summary, &Default::default()).contains("2 results are stale now"),
        "{}",
        run::summary_text(&summary, &Default::default())
    );
    let (text, code) = written(|out| run::run(&typed(&["--dry-run"]), &toy.graph(), &toy.store(), out));
    assert_eq!(code, DONE);
    assert_eq!(
        text,
        "summarise/grid: the bytes of run/grid changed\n\
         figure/a: only if the bytes of summarise/grid change\n\
         figure/b: the bytes of run/grid changed\n"
    );
    let summary = toy.run_all();
    assert_eq!((summary.made.len(), summary.outdated), (3, 0));
    assert_eq!(executed(&toy), counts(&[("summarise/grid", 1), ("figure/a", 1), ("figure/b", 1)]));
    assert!(toy.run_all().is_noop());
    let changed = toy.results().iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).count();
    assert_eq!(changed, 4, "one cell, the summary, two figures");
    assert_eq!(toy.results().len(), before.len(), "the old object is gone");
}

#[test]
fn the_same_bytes_again_make_nothing_stale() {
    let toy = Toy::new(demo());
    toy.run_all();
    for target in ["run/grid", "fetch/data", "summarise/grid"] {
        assert_eq!(toy.run(&forced(&[target])).outdated, 0);
        assert!(toy.run_all().is_noop(), "{target}");
    }
}

#[test]
fn a_reader_of_a_reader_stays_if_the_bytes_between_are_the_same() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("summarise/grid".into(), 1), Trouble::Constant);
    toy.run_all();
    otherwise(&mut toy, "run/grid", 5, 1);
    toy.run(&forced(&["run/grid"]));
    let planned = toy.planned(&RunRequest::default());
    assert_eq!(planned, ["summarise/grid", "figure/a", "figure/b"].map(|stage| (stage.to_owned(), 0)).into());
    let summary = toy.run_all();
    assert_eq!(executed(&toy), counts(&[("summarise/grid", 1)]), "neither figure reads cell 5 itself");
    assert_eq!((summary.made.len(), summary.found, summary.outdated), (1, 2, 0));
    assert!(toy.run_all().is_noop());
}

#[test]
fn readers_of_a_published_file_are_made_again_and_the_file_is_named() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    otherwise(&mut toy, "fetch/data", 1, 1);
    assert_eq!(toy.run(&forced(&["fetch/data"])).outdated, 20);
    let show = |words: &[&str]| written(|out| status::run(&typed(words), &toy.graph(), &toy.store(), out)).0;
    let table = show(&["--why"]);
    assert_eq!(table.matches("stale: the bytes of fetch/data changed\n").count(), 20, "{table}");
    assert_eq!(table.matches("stale: only if the bytes of run/grid change\n").count(), 1, "{table}");
    assert_eq!(table.matches("stale: only if the bytes of summarise/grid, run/grid change\n").count(), 1, "{table}");
    let text = explained(&toy, &["run/grid"]);
    assert_eq!(text.matches("to make: the bytes of fetch/data changed\n  bytes fetch/data: ").count(), 20, "{text}");
    let difference = text.lines().nth(1).unwrap().rsplit(": ").next().unwrap();
    let (old, new) = difference.split_once(" -> ").unwrap();
    assert!(old != new && old.len() == 12 && new.len() == 12, "{difference}");

    // If one of the cells is requested, only what it needs runs.
    assert_eq!(toy.run(&targets(&["run/grid"])).outdated, 2, "the summary and the figure of a cell");
    assert_eq!(executed(&toy), counts(&[("run/grid", 20)]));
    toy.run_all();
    assert_eq!(executed(&toy), counts(&[("summarise/grid", 1), ("figure/a", 1), ("figure/b", 1)]));
    assert!(toy.run_all().is_noop());
    assert_consistent(&toy);
}

#[test]
fn what_lies_between_two_forced_targets_is_made_again_if_it_must() {
    for (number, between) in [(Some(1), 1), (None, 0)] {
        let mut toy = Toy::new(demo());
        toy.run_all();
        if let Some(number) = number {
            otherwise(&mut toy, "run/grid", 7, number);
        }
        let request = forced(&["run/grid", "figure/a"]);
        let steps = toy.plan(&request).steps;
        let conditional: Vec<_> = steps.iter().filter(|step| step.reason.is_conditional()).collect();
        assert_eq!(conditional.len(), 1);
        assert_eq!((conditional[0].stage, conditional[0].needed_by), (2, Some(3)));
        let summary = toy.run(&request);
        assert_eq!((summary.made.len(), summary.found), (21 + between, 1 - between));
        assert_eq!(summary.outdated, if between == 1 { 1 } else { 0 }, "figure/b was not asked for");
        toy.run_all();
        assert_consistent(&toy);
    }
}

#[test]
fn a_damaged_object_that_is_rebuilt_with_other_bytes_makes_its_readers_stale() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    otherwise(&mut toy, "run/grid", 4, 1);
    damage(&toy.object(1, 4), true, |bytes| bytes.truncate(5));
    let summary = toy.run_all();
    assert_eq!((summary.made.len(), summary.outdated), (1, 1), "that it would come out otherwise nobody knew");
    toy.run_all();
    assert_eq!(executed(&toy), counts(&[("summarise/grid", 1), ("figure/a", 1), ("figure/b", 1)]));
    assert_consistent(&toy);

    // The same, if the damage is found only when the object is read.
    damage(&toy.object(1, 4), false, |bytes| bytes[0] ^= 1);
    otherwise(&mut toy, "run/grid", 4, 2);
    toy.stages[2].code = 2;
    assert_eq!(toy.run(&targets(&["summarise/grid"])).rebuilt, 1);
    toy.run_all();
    assert!(toy.run_all().is_noop());
    assert_consistent(&toy);
}

#[test]
fn a_change_is_found_when_a_lost_neighbour_is_back() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    otherwise(&mut toy, "run/grid", 3, 1);
    toy.run(&forced(&["run/grid"]));
    fs::remove_file(toy.object(1, 5)).unwrap();
    let summary = toy.run(&targets(&["run/grid"]));
    assert_eq!((executed(&toy), summary.outdated), (counts(&[("run/grid", 1)]), 2));
    toy.run_all();
    assert!(toy.run_all().is_noop());
    assert_consistent(&toy);
}

#[test]
fn a_store_that_did_not_record_bytes_is_read_and_made_again_once() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    // The format of an earlier version.
    for path in before.keys().filter(|path| path.starts_with("results")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let parts: Vec<&str> = name.split('.').collect();
        assert_eq!(parts.len(), 4, "{name}");
        let old = path.with_file_name(format!("{}.{}.{}", parts[0], parts[1], parts[3]));
        fs::rename(toy.path().join(path), toy.path().join(old)).unwrap();
    }
    for stage in &toy.stages {
        let path = toy.store().folder("records").join(format!("{}.json", stage.name));
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(record.as_object_mut().unwrap().remove("made_from").is_some());
        fs::write(path, record.to_string()).unwrap();
    }
    let plan = toy.plan(&RunRequest::default());
    assert_eq!(plan.steps.len(), 23, "all but the one that reads nothing");
    assert!(plan.steps.iter().all(|step| step.reason == Reason::InputBytesUnrecorded));
    assert!(explained(&toy, &["figure/a"]).contains("made before the bytes of its inputs were recorded"));
    toy.run_all();
    assert_eq!(toy.results(), before);
    assert!(toy.run_all().is_noop());
}

#[test]
fn a_remake_that_was_killed_before_it_removed_the_old_object_does_no_harm() {
    for number in 1..4 {
        let mut toy = Toy::new(demo());
        toy.run_all();
        let old = toy.object(1, 3);
        let bytes = fs::read(&old).unwrap();
        let seal = fs::metadata(&old).unwrap().modified().unwrap();
        otherwise(&mut toy, "run/grid", 3, number);
        toy.run(&forced(&["run/grid"]));
        // Which of the two names comes first depends on the number.
        fs::write(&old, bytes).unwrap();
        fs::File::open(&old).unwrap().set_modified(seal).unwrap();
        for _ in 0..2 {
            toy.run_all();
            assert!(toy.run_all().is_noop());
            assert_consistent(&toy);
            toy.run(&forced(&["run/grid"]));
            assert_eq!(toy.store().find_all(&toy.plan(&RunRequest::default()).keys[1][3]).unwrap().len(), 1);
        }
    }
}

#[test]
fn thousands_of_inputs_are_one_digest_in_the_record() {
    let mut stages = demo();
    stages[1].items = (0..3000).map(|value| ToyItem { value, inputs: vec![] }).collect();
    // The whole stage, and some of its items by name.
    stages[2].items[0].inputs.extend((0..1500).map(|item| input(1, item, Need::Required)));
    stages[2].items[0].inputs.push(input(0, 0, Need::Required));
    let mut toy = Toy::new(stages);
    toy.run_all();
    let record = toy.store().folder("records/summarise/grid.json");
    let record: serde_json::Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
    assert_eq!(record["made_from"].as_array().unwrap().len(), 2);
    otherwise(&mut toy, "run/grid", 2999, 1);
    assert_eq!(toy.run(&forced(&["run/grid"])).outdated, 1);
    toy.run_all();
    assert_eq!(executed(&toy), counts(&[("summarise/grid", 1), ("figure/a", 1), ("figure/b", 1)]));
    assert!(toy.run_all().is_noop());
}

/// The file of an item's product.
fn product(toy: &Toy, keys: &[Vec<[u8; 32]>], stage: usize, item: usize) -> PathBuf {
    let target = &toy.stages[stage];
    match (target.files, target.items.len()) {
        (false, _) => {
            let store: ResultStore = toy.store();
            store.object_path(&store.find(&keys[stage][item]).unwrap().unwrap())
        }
        (true, 1) => toy.path().join(format!("out/{}.txt", target.name)),
        (true, _) => toy.path().join(format!("out/{}-{}.txt", target.name, target.items[item].value)),
    }
}

/// Checks that every product was made from the files that are there now: it names their hashes.
fn assert_consistent(toy: &Toy) {
    let plan = toy.plan(&RunRequest::default());
    assert!(plan.steps.is_empty(), "{:?}", plan.steps);
    let hash = |stage: usize, item: usize| hex(content(&fs::read(product(toy, &plan.keys, stage, item)).unwrap()));
    for (index, stage) in toy.stages.iter().enumerate() {
        for (position, item) in stage.items.iter().enumerate() {
            let text = fs::read_to_string(product(toy, &plan.keys, index, position)).unwrap();
            let mut lines = text.lines().skip(1);
            for input in &item.inputs {
                let all = input.item.map_or(0..toy.stages[input.stage].items.len(), |item| item..item + 1);
                for read in all {
                    let expected = format!("{} {read} {}", toy.stages[input.stage].name, hash(input.stage, read));
                    assert_eq!(lines.next(), Some(&*expected), "{} {position}", stage.name);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(14), ..ProptestConfig::default() })]

    /// For any remakes with any bytes: only planned steps are executed, steps without a condition are always executed,
    /// and what is fresh in the end was made from the bytes that are there.
    #[test]
    fn what_is_fresh_was_made_from_the_bytes_that_are_there(
        stages in graphs(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u64), 1..4),
        force in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        target in any::<Option<prop::sample::Index>>(),
        lost in any::<Option<prop::sample::Index>>(),
    ) {
        let mut toy = Toy::new(stages);
        toy.run_all();
        for (stage, item, number) in changes {
            let stage = &toy.stages[stage.index(toy.stages.len())];
            let (name, value) = (stage.name.clone(), item.get(&stage.items).value);
            otherwise(&mut toy, &name, value, number);
        }
        let names: Vec<String> = force.iter().map(|index| index.get(&toy.stages).name.clone()).collect();
        let force = forced(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let target = targets(&target.iter().map(|index| index.get(&toy.stages).name.as_str()).collect::<Vec<_>>());
        if let Some(lost) = lost {
            let results: Vec<PathBuf> = toy.results().into_keys().collect();
            fs::remove_file(toy.path().join(lost.get(&results))).unwrap();
        }
        for request in [force, target, RunRequest::default()] {
            let steps = toy.plan(&request).steps;
            let named = |conditional: bool| -> BTreeSet<_> {
                let steps = steps.iter().filter(|step| step.reason.is_conditional() == conditional);
                steps.map(|step| (toy.stages[step.stage].name.clone(), step.item)).collect()
            };
            let (certain, perhaps) = (named(false), named(true));
            let summary = toy.run(&request);
            prop_assert_eq!(toy.executed_count(), summary.made.len());
            let executed = toy.executed();
            prop_assert!(certain.is_subset(&executed), "{:?} of {:?}", executed, certain);
            prop_assert!(executed.is_subset(&certain.union(&perhaps).cloned().collect()));
        }
        prop_assert!(lost.is_some() || toy.plan(&RunRequest::default()).steps.is_empty());
        // An object that was lost and remade with other bytes needs one more run, which the summary asks for.
        toy.run_all();
        assert_consistent(&toy);
    }
}
