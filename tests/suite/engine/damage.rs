//! Corrupted and truncated files are found, reported and rebuilt.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::request::RunScope;
use noregret_engine::plan::reason::Reason;

use crate::engine::toy::{Toy, Trouble, demo};

/// Changes a file's bytes, and its modification time only if `openly`.
pub fn damage(path: &Path, openly: bool, change: impl FnOnce(&mut Vec<u8>)) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
    if !openly {
        fs::File::open(path).unwrap().set_modified(time).unwrap();
    }
}

fn flip(bytes: &mut [u8]) {
    bytes[3] ^= 1;
}

#[test]
fn a_damaged_object_is_found_by_the_planner_and_rebuilt() {
    let changes: [fn(&mut Vec<u8>); 3] = [|bytes| flip(bytes), |bytes| bytes.truncate(5), Vec::clear];
    for change in changes {
        let toy = Toy::new(demo());
        toy.run_all();
        let before = toy.results();
        let object = toy.object(1, 4);
        damage(&object, true, change);
        let steps = toy.plan(&RunRequest::default()).steps;
        assert_eq!(steps.len(), 1);
        assert!(
            matches!(&steps[0].reason, Reason::Damaged(file) if object.ends_with(&**file)),
            "{:?}",
            steps[0].reason
        );
        assert_eq!(toy.run_all().outdated, 0);
        assert_eq!(toy.executed(), [("run/grid".to_owned(), 4)].into());
        assert_eq!(toy.results(), before);
        assert!(toy.run_all().is_noop());
    }
}

#[test]
fn damage_that_left_no_trace_is_found_when_the_object_is_read() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    for item in [4, 9] {
        damage(&toy.object(1, item), false, |bytes| flip(bytes));
    }
    assert!(toy.run_all().is_noop(), "a change that keeps size and time cannot be seen without reading");
    toy.stages[2].code = 2;
    let summary = toy.run_all();
    assert_eq!((summary.rebuilt, summary.failed.len()), (2, 0));
    let heard = toy.heard.0.lock().unwrap().join("\n");
    assert!(heard.contains("value=4: the stored object is damaged"), "{heard}");
    assert!(heard.contains("value=9: the stored object is damaged"), "{heard}");
    let after = toy.results();
    let objects = |results: &std::collections::BTreeMap<_, _>| {
        results
            .clone()
            .into_iter()
            .filter(|(p, _): &(std::path::PathBuf, Vec<u8>)| p.starts_with("results"))
            .collect::<Vec<_>>()
    };
    assert_eq!(objects(&after), objects(&before));
    assert!(toy.run_all().is_noop());
}

#[test]
fn an_input_that_is_overwritten_while_a_run_goes_on_is_rebuilt() {
    let toy = Toy::new(demo());
    toy.run(&RunRequest { targets: vec!["run/grid".into()], ..RunRequest::default() });
    // The object changes between planning and reading.
    let object = toy.object(1, 0);
    let mut racing = Toy { folder: toy.folder, ..Toy::new(demo()) };
    racing.stages[2].items[0].value = 77;
    let path: &'static str = Box::leak(object.to_str().unwrap().to_owned().into_boxed_str());
    racing.trouble.insert(("fetch/data".into(), 1), Trouble::Overwrite(path));
    fs::remove_file(racing.path().join("out/fetch/data.txt")).unwrap();
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    // One after the other, because fetching comes first.
    let summary = racing.run(&RunRequest { jobs: 1, ..RunRequest::default() });
    assert_eq!(summary.failed, []);
    assert!(fs::read(&object).unwrap().starts_with(b"run/grid"));
}

#[test]
fn a_damaged_published_file_is_found_and_published_again() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    let file = toy.path().join("out/summarise/grid.txt");
    damage(&file, true, |bytes| flip(bytes));
    let steps = toy.plan(&RunRequest::default()).steps;
    assert_eq!(
        steps.iter().map(|step| &step.reason).collect::<Vec<_>>(),
        [&Reason::Damaged("out/summarise/grid.txt".into())]
    );
    toy.run_all();
    assert_eq!(toy.results(), before);
    fs::remove_file(&file).unwrap();
    toy.run_all();
    assert_eq!(toy.executed(), [("summarise/grid".to_owned(), 0)].into());
    assert_eq!(toy.results(), before);
}

#[test]
fn damage_that_left_no_trace_is_found_when_a_published_file_is_read() {
    let mut toy = Toy::new(demo());
    toy.stages[3].code = 2;
    toy.run_all();
    let sound = toy.results();
    toy.stages[3].code = 1;
    toy.run_all();
    damage(&toy.path().join("out/summarise/grid.txt"), false, |bytes| flip(bytes));
    assert!(toy.run_all().is_noop(), "a change that keeps size and time cannot be seen without reading");
    // Two figures that read it at once.
    toy.stages[3].code = 2;
    fs::remove_file(toy.path().join("out/figure/b.txt")).unwrap();
    let summary = toy.run_all();
    assert_eq!((summary.rebuilt, summary.failed.len()), (1, 0), "{:?}", summary.failed);
    let heard = toy.heard.0.lock().unwrap().join("\n");
    assert!(heard.contains("summarise/grid: a published file is damaged"), "{heard}");
    assert_eq!(toy.results(), sound);
    assert!(toy.run_all().is_noop());
}

#[test]
fn an_input_that_changes_meanwhile_yields_no_result() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("run/grid".into(), 4), Trouble::Overwrite("out/fetch/data.txt"));
    let summary = toy.run(&RunRequest { targets: vec!["run/grid".into()], jobs: 1, ..RunRequest::default() });
    let failure = summary.failed.iter().find(|end| end.item == "value=4").expect("the item that was overtaken fails");
    assert!(failure.why.contains("data.txt changed during this run"), "{}", failure.why);
    toy.trouble.clear();
    toy.run_all();
    let clean = Toy::new(demo());
    clean.run_all();
    assert_eq!(toy.results(), clean.results());
}

/// A report that is made beside a run publishes summaries of fewer cells. The run makes its own again, a report does not.
#[test]
fn a_run_takes_back_what_a_report_has_published_meanwhile() {
    const OTHERS: [[&str; 2]; 2] =
        [["other.json", "results/store/records/summarise/grid.json"], ["other.txt", "out/summarise/grid.txt"]];
    let mut toy = Toy::new(demo());
    toy.stages[2].code = 2;
    toy.run_all();
    let others = OTHERS.map(|[copy, published]| (copy, fs::read(toy.path().join(published)).unwrap()));
    toy.stages[2].code = 1;
    toy.run_all();
    let sound = toy.results();
    toy.trouble.insert(("figure/a".into(), 1), Trouble::Overtake(&OTHERS));
    for (scope, rebuilt, failed) in [(RunScope::NoCells, 0, 1), (RunScope::All, 1, 0)] {
        fs::remove_file(toy.path().join("out/figure/a.txt")).unwrap();
        others.iter().for_each(|(copy, bytes)| fs::write(toy.path().join(copy), bytes).unwrap());
        let summary = toy.run(&RunRequest { scope, jobs: 1, ..RunRequest::default() });
        assert_eq!((summary.rebuilt, summary.failed.len()), (rebuilt, failed), "{:?}", summary.failed);
        assert!(summary.failed.iter().all(|end| end.why.contains("grid.txt changed during this run")));
        assert!(toy.run(&RunRequest::default()).failed.is_empty());
    }
    let heard = toy.heard.0.lock().unwrap().join("\n");
    assert!(heard.contains("summarise/grid: another run has published fewer results; rebuilding it"), "{heard}");
    assert_eq!(toy.results(), sound);
}

/// One flipped bit makes a letter of a digest a capital, which planning does not read.
#[test]
fn a_record_that_planning_does_not_read_is_written_again() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    for field in ["key", "fingerprint"] {
        damage(&toy.path().join("results/store/records/figure/a.json"), false, |bytes| {
            let (name, text) = (format!("\"{field}\": \""), String::from_utf8(bytes.clone()).unwrap());
            let start = text.find(&name).unwrap() + name.len();
            bytes[start..start + 64].make_ascii_uppercase();
        });
        assert!(!toy.run_all().is_noop(), "{field}");
        assert!(toy.run_all().is_noop(), "{field}");
        assert_eq!(toy.results(), before);
    }
}
