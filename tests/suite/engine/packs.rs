//! Objects of a large grid are in packs: all commands read them there, and damage is found, told and mended.

use std::fs;
use std::path::PathBuf;

use noregret_engine::exec::clean::clean;
use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::gc::gc;
use noregret_engine::exec::verify::verify;
use noregret_engine::plan::reason::Reason;
use noregret_engine::plan::select::select;

use crate::engine::damage::damage;
use crate::engine::toy::{Toy, Trouble, grid};

/// How many cells the grid has: enough for a pack.
const CELLS: u64 = 250;

fn toy() -> Toy {
    let toy = Toy::new(grid(CELLS));
    assert_eq!(toy.run_all().made.len(), CELLS as usize + 4);
    assert_eq!((alone(&toy), packs(&toy).len()), (0, 1));
    toy
}

fn files(toy: &Toy, folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(toy.path().join("results/store").join(folder)).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files
}

fn packs(toy: &Toy) -> Vec<PathBuf> {
    files(toy, "packs")
}

/// How many objects lie by themselves.
fn alone(toy: &Toy) -> usize {
    files(toy, "objects").iter().map(|folder| fs::read_dir(folder).unwrap().count()).sum()
}

/// What `verify` finds damaged.
fn damaged(toy: &Toy) -> Vec<String> {
    let graph = toy.graph();
    let [everything, grid] = [vec![], vec!["run/grid".to_owned()]]
        .map(|targets| verify(&graph, &select(&graph, &targets).unwrap(), &toy.store()).unwrap());
    assert_eq!(everything.damaged.is_empty(), grid.damaged.is_empty(), "{:?} {:?}", everything.damaged, grid.damaged);
    everything.damaged
}

/// The name of the object of a cell.
fn name_of(toy: &Toy, item: usize) -> String {
    let keys = toy.plan(&RunRequest::default()).keys;
    toy.store().find(&keys[1][item]).unwrap().unwrap()
}

/// Changes a byte of the object of a cell in the only pack.
fn harm(toy: &Toy, item: usize, openly: bool) {
    let object = toy.store().read(&name_of(toy, item)).unwrap();
    damage(&packs(toy)[0], openly, |bytes| {
        let at = bytes.windows(object.len()).position(|part| part == object).unwrap();
        bytes[at + 3] ^= 1;
    });
}

#[test]
fn a_grid_is_packed_and_read_from_its_pack() {
    let toy = toy();
    assert!(toy.run_all().is_noop() && damaged(&toy).is_empty());
    let before = toy.results();
    assert_eq!(before.len(), CELLS as usize + 4);
    fs::remove_file(toy.path().join("out/summarise/grid.txt")).unwrap();
    assert_eq!(toy.run_all().made.len(), 1);
    assert!(toy.results() == before);
    assert!(toy.run_all().is_noop());
    let names = [0, 7, 249].map(|item| name_of(&toy, item));
    assert!(names.iter().all(|name| toy.store().read(name).is_ok()));
}

#[test]
fn few_objects_lie_by_themselves() {
    let toy = Toy::new(grid(99));
    toy.run_all();
    assert_eq!((alone(&toy), packs(&toy).len()), (99, 0));
}

#[test]
fn damage_in_a_pack_that_was_written_to_costs_the_damaged_objects() {
    let toy = toy();
    let before = toy.results();
    let name = name_of(&toy, 4);
    harm(&toy, 4, true);
    let steps = toy.plan(&RunRequest::default()).steps;
    assert!(steps.len() == 1 && matches!(&steps[0].reason, Reason::Damaged(file) if **file == name), "{steps:?}");
    let found = damaged(&toy);
    assert!(found.len() == 1 && found[0].contains(&name) && found[0].contains(".zip"), "{found:?}");
    assert_eq!(toy.run_all().made.len(), 1);
    assert!(toy.results() == before && toy.run_all().is_noop() && damaged(&toy).is_empty());
    // The damaged one goes, and the one that was made again stays.
    let lost = gc(&[toy.graph()], &toy.store(), false).unwrap().files;
    assert!(lost.len() == 1 && lost[0].ends_with(&name), "{lost:?}");
    assert_eq!((alone(&toy), packs(&toy).len()), (1, 1));
    assert!(toy.results() == before && toy.run_all().is_noop() && damaged(&toy).is_empty());
    assert_eq!(gc(&[toy.graph()], &toy.store(), false).unwrap().files.len(), 0);
}

#[test]
fn damage_in_a_pack_that_left_no_trace_is_found_when_it_is_read() {
    let toy = toy();
    let before = toy.results();
    harm(&toy, 4, false);
    assert!(toy.run_all().is_noop(), "a change that keeps the time cannot be seen without reading");
    fs::remove_file(toy.path().join("out/summarise/grid.txt")).unwrap();
    let summary = toy.run_all();
    assert_eq!((summary.made.len(), summary.rebuilt), (1, 1));
    assert!(toy.results() == before && toy.run_all().is_noop() && damaged(&toy).is_empty());

    let toy = self::toy();
    let name = name_of(&toy, 9);
    harm(&toy, 9, false);
    assert!(damaged(&toy)[0].contains(&name), "and `verify` reads everything");
    assert_eq!(toy.run_all().made.len(), 1, "and marks what it finds");
    assert!(toy.results() == before && damaged(&toy).is_empty());
}

#[test]
fn a_pack_that_was_only_touched_is_taken_as_it_is() {
    let toy = toy();
    damage(&packs(&toy)[0], true, |_| ());
    assert!(toy.run_all().is_noop() && damaged(&toy).is_empty());
}

#[test]
fn what_a_truncated_pack_had_is_made_again() {
    let toy = toy();
    let before = toy.results();
    damage(&packs(&toy)[0], true, |bytes| bytes.truncate(bytes.len() / 2));
    let found = damaged(&toy);
    assert!(found.len() == 1 && found[0].contains("cannot be read"), "{found:?}");
    assert_eq!(toy.run_all().made.len(), CELLS as usize);
    assert!(toy.results() == before);
    let lost = gc(&[toy.graph()], &toy.store(), false).unwrap().files;
    assert!(lost.len() == 1 && damaged(&toy).is_empty() && toy.run_all().is_noop(), "{lost:?}");
    assert_eq!(packs(&toy).len(), 1);
}

#[test]
fn what_is_made_again_counts() {
    let mut toy = toy();
    for number in 1..4 {
        for value in 0..CELLS {
            toy.trouble.insert(("run/grid".into(), value), Trouble::Otherwise(number));
        }
        let again = RunRequest { targets: vec!["run/grid".to_owned()], force: true, ..RunRequest::default() };
        assert_eq!(toy.run(&again).made.len(), CELLS as usize);
        let text = toy.store().read(&name_of(&toy, 5)).unwrap();
        assert!(text.ends_with(format!("otherwise {number}\n").as_bytes()));
        toy.run_all();
        assert!(toy.run_all().is_noop());
    }
    let before = toy.results();
    // What replaces something lies by itself until it is packed.
    assert_eq!((packs(&toy).len(), alone(&toy)), (1, CELLS as usize));
    let lost = gc(&[toy.graph()], &toy.store(), false).unwrap().files;
    assert_eq!((packs(&toy).len(), alone(&toy), lost.len()), (1, 0, CELLS as usize));
    assert!(toy.results() == before && toy.run_all().is_noop() && damaged(&toy).is_empty());
}

#[test]
fn gc_joins_packs_and_packs_what_lies_by_itself() {
    let mut toy = Toy::new(grid(60));
    toy.run_all();
    toy.stages[1].items = grid(200)[1].items.clone();
    toy.run_all();
    toy.stages[1].items = grid(350)[1].items.clone();
    toy.run_all();
    assert_eq!((packs(&toy).len(), alone(&toy)), (2, 60));
    let before = toy.results();
    assert_eq!(gc(&[toy.graph()], &toy.store(), true).unwrap().files.len(), 0);
    assert_eq!(gc(&[toy.graph()], &toy.store(), false).unwrap().files.len(), 0);
    assert_eq!((packs(&toy).len(), alone(&toy)), (1, 60));
    assert!(toy.results() == before && toy.run_all().is_noop());
    // What nobody refers to leaves its pack.
    toy.stages[1].items.truncate(10);
    toy.run_all();
    let lost = |dry| gc(&[toy.graph()], &toy.store(), dry).unwrap();
    let (dry, done) = (lost(true), lost(false));
    assert_eq!((dry.files.len(), dry.bytes), (340, done.bytes));
    assert_eq!(dry.files, done.files);
    assert!(toy.run_all().is_noop() && damaged(&toy).is_empty());
    assert_eq!(toy.results().keys().filter(|path| path.starts_with("results")).count(), 10);
}

#[test]
fn clean_takes_out_of_packs_what_the_targets_made() {
    let mut toy = toy();
    let before = toy.results();
    let mut other = grid(CELLS)[1].clone();
    (other.name, other.code) = ("run/other".into(), 2);
    toy.stages.push(other);
    toy.run_all();
    assert_eq!(packs(&toy).len(), 2);
    let graph = toy.graph();
    gc(&[toy.graph()], &toy.store(), false).unwrap();
    assert_eq!(packs(&toy).len(), 1, "both in one pack");
    let plan = toy.plan(&RunRequest { targets: vec!["run/other".to_owned()], ..RunRequest::default() });
    let dry = clean(&graph, &plan, &toy.store(), true).unwrap();
    assert_eq!(clean(&graph, &plan, &toy.store(), false).unwrap(), dry);
    toy.stages.pop();
    assert!(toy.results() == before && toy.run_all().is_noop() && damaged(&toy).is_empty());
}

/// Writes an open pack, as a process of another machine leaves it that is killed.
fn leave_open(toy: &Toy, objects: &[(String, Vec<u8>)]) {
    let mut bytes = Vec::new();
    for (name, object) in objects {
        bytes.extend(format!("{name} {}\n", object.len()).into_bytes());
        bytes.extend(object);
    }
    fs::write(toy.path().join("results/store/packs/elsewhere.1-0-0.open"), bytes).unwrap();
}

#[test]
fn an_open_pack_of_a_dead_machine_is_read_and_replaces_nothing() {
    // It has all cells, and nothing else has them.
    let toy = toy();
    let (before, graph) = (toy.results(), toy.graph());
    let objects: Vec<(String, Vec<u8>)> = (0..CELLS as usize)
        .map(|item| name_of(&toy, item))
        .map(|name| (name.clone(), toy.store().read(&name).unwrap()))
        .collect();
    fs::remove_file(&packs(&toy)[0]).unwrap();
    leave_open(&toy, &objects);
    assert!(toy.run_all().is_noop() && toy.results() == before && damaged(&toy).is_empty());
    // Damaged objects in it are made again, count before it, and `gc` keeps them.
    let mut harmed = objects.clone();
    harmed[4].1[3] ^= 1;
    leave_open(&toy, &harmed);
    assert!(damaged(&toy)[0].contains(&objects[4].0));
    fs::remove_file(toy.path().join("out/summarise/grid.txt")).unwrap();
    assert_eq!(toy.run_all().made.len(), 2);
    assert!(toy.run_all().is_noop() && toy.results() == before);
    assert_eq!(gc(std::slice::from_ref(&graph), &toy.store(), false).unwrap().files.len(), 1);
    assert!(toy.run_all().is_noop() && toy.results() == before && damaged(&toy).is_empty());
    assert_eq!(packs(&toy).len(), 1, "{:?}", packs(&toy));
    // What it says again hides no sound object.
    leave_open(&toy, &harmed);
    assert!(toy.run_all().is_noop() && toy.results() == before);
    gc(std::slice::from_ref(&graph), &toy.store(), false).unwrap();
    assert!(toy.run_all().is_noop() && toy.results() == before && damaged(&toy).is_empty());
}

#[test]
fn what_is_older_in_an_open_pack_of_a_dead_machine_does_not_come_back() {
    let mut toy = toy();
    let old: Vec<(String, Vec<u8>)> =
        [name_of(&toy, 7)].map(|name| (name.clone(), toy.store().read(&name).unwrap())).into();
    toy.trouble.insert(("run/grid".into(), 7), Trouble::Otherwise(1));
    leave_open(&toy, &old);
    toy.run(&RunRequest { targets: vec!["run/grid".to_owned()], force: true, ..RunRequest::default() });
    toy.run_all();
    assert!(toy.store().read(&name_of(&toy, 7)).unwrap().ends_with(b"otherwise 1\n"));
    for _ in 0..2 {
        assert!(toy.run_all().is_noop());
        gc(&[toy.graph()], &toy.store(), false).unwrap();
        assert!(toy.store().read(&name_of(&toy, 7)).unwrap().ends_with(b"otherwise 1\n"));
    }
}

#[test]
fn a_run_loses_nothing_when_somebody_removes_a_pack() {
    let mut toy = toy();
    let first = packs(&toy);
    let mut other = grid(CELLS)[1].clone();
    (other.name, other.code) = ("run/other".into(), 2);
    toy.stages.push(other);
    // One of its cells removes the pack of the others.
    let gone = first[0].strip_prefix(toy.path()).unwrap().to_str().unwrap().to_owned();
    toy.trouble.insert(("run/other".into(), 200), Trouble::Overtake(Box::leak(Box::new([[&*gone.leak(), "gone"]]))));
    assert_eq!(toy.run(&RunRequest { jobs: 1, ..RunRequest::default() }).made.len(), CELLS as usize);
    assert_eq!(packs(&toy).len(), 1);
    toy.trouble.clear();
    let again = toy.run_all();
    assert!(again.made.iter().all(|(stage, ..)| stage == "run/grid"), "{:?}", again.made.len());
    assert!(toy.run_all().is_noop() && damaged(&toy).is_empty());
}

#[test]
fn a_store_that_cannot_be_written_is_read_with_its_open_packs() {
    let toy = toy();
    leave_open(&toy, &[(name_of(&toy, 3), toy.store().read(&name_of(&toy, 3)).unwrap())]);
    let before = files(&toy, "packs");
    assert!(toy.run_all().is_noop());
    assert_eq!(files(&toy, "packs"), before, "those of other machines are left to them");
    assert!(files(&toy, "tmp").is_empty());
}
