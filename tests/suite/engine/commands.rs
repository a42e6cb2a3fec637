//! The commands of the engine: status, explain, dag, verify, gc, clean, log.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use clap::{Args, Parser};
use noregret::cli::error::CliError;
use noregret::cli::exit::{DONE, FAILED, USAGE};
use noregret::cli::{clean, dag, explain, gc, log, run, status, verify};
use noregret_engine::exec::engine::RunRequest;
use noregret_engine::exec::scratch::Scratch;
use noregret_engine::plan::key::hex;
use noregret_engine::plan::work::Need;

use crate::engine::toy::{Toy, ToyItem, Trouble, demo, input};

/// The standard output of a command, and its exit status.
pub fn written(command: impl FnOnce(&mut dyn std::io::Write) -> Result<u8, CliError>) -> (String, u8) {
    let mut out = Vec::new();
    let code = command(&mut out).unwrap_or_else(|stop| panic!("{stop}"));
    (String::from_utf8(out).unwrap(), code)
}

/// Arguments of a command, as typed.
pub fn typed<A: Args>(words: &[&str]) -> A {
    #[derive(Parser)]
    struct Line<A: Args> {
        #[command(flatten)]
        args: A,
    }
    Line::parse_from(std::iter::once("command").chain(words.iter().copied())).args
}

pub fn explained(toy: &Toy, targets: &[&str]) -> String {
    let args = typed(targets);
    written(|out| explain::run(&args, &toy.graph(), &toy.store(), out)).0
}

#[test]
fn a_dry_run_prints_every_step_with_its_reason() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    toy.stages[3].code = 2;
    toy.stages[1].items.push(ToyItem { value: 90, inputs: vec![input(0, 0, Need::Required)] });
    let args = typed(&["figure/a", "--dry-run"]);
    let (text, code) = written(|out| run::run(&args, &toy.graph(), &toy.store(), out));
    assert_eq!(code, DONE);
    assert_eq!(
        text,
        "run/grid value=90: not made yet with these parameters, inputs and code (needed by summarise/grid)\n\
         summarise/grid: an input changed (needed by figure/a)\n\
         figure/a: parameters or code changed\n"
    );
}

#[test]
fn explain_names_old_and_new_values() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    assert!(explained(&toy, &["run/grid"]).starts_with("run/grid: fresh: 20 of 20 fresh"));

    toy.stages[1].items[3].value = 100;
    let text = explained(&toy, &["run/*"]);
    assert!(text.contains("run/grid value=100: to make"), "{text}");
    assert!(text.contains("  compared with value="), "{text}");
    assert!(text.contains("-> 100\n") && text.contains("  parameter value: "), "{text}");
    assert!(text.contains("19 of 20 fresh"), "{text}");
    toy.stages[1].items[3].value = 3;

    toy.stages[1].code = 2;
    let text = explained(&toy, &["run/grid"]);
    assert_eq!(text.matches("  code src/run/grid.rs: 1 -> 2\n").count(), 20, "{text}");
    assert!(!text.contains("compared with"), "{text}");
    let text = explained(&toy, &["figure/b"]);
    assert!(text.contains("  input run/grid: ") && text.contains("  input summarise/grid: "), "{text}");
    assert!(!text.contains("  code") && !text.contains("  parameter"), "{text}");

    let fresh = Toy::new(demo());
    assert!(explained(&fresh, &["figure/a"]).contains("nothing comparable was made before"));
}

#[test]
fn status_counts_and_tells_why() {
    let mut toy = Toy::new(demo());
    toy.trouble.insert(("run/grid".into(), 7), Trouble::Fail("singular"));
    toy.run_all();
    toy.stages[3].code = 2;
    let show = |words: &[&str]| written(|out| status::run(&typed(words), &toy.graph(), &toy.store(), out));
    let (table, code) = show(&["--why"]);
    assert_eq!(code, DONE);
    let row = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("run/grid"), ["19", "-", "-", "1", "-"]);
    assert_eq!(row("figure/a"), ["-", "1", "-", "-", "-"]);
    assert_eq!(row("all"), ["20", "3", "-", "1", "-"]);
    assert!(table.contains("value=7 failed: failed last time: singular"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&show(&["--why", "--json"]).0).unwrap();
    assert_eq!(json[1]["failed"], 1);
    assert_eq!(json[1]["why"][0]["item"], "value=7");
}

#[test]
fn an_unknown_target_is_refused_with_the_nearest_name() {
    let toy = Toy::new(demo());
    let args = typed(&["figure/aa"]);
    let stop = status::run(&args, &toy.graph(), &toy.store(), &mut Vec::new()).unwrap_err();
    assert_eq!(stop.status, USAGE);
    assert!(stop.message.contains("`figure/aa`; did you mean `figure/a`?"), "{}", stop.message);
    let args = typed(&["zzz/*"]);
    assert_eq!(status::run(&args, &toy.graph(), &toy.store(), &mut Vec::new()).unwrap_err().status, USAGE);
}

#[test]
fn the_dag_is_drawn_in_three_ways() {
    let toy = Toy::new(demo());
    let draw = |words: &[&str]| written(|out| dag::run(&typed(words), &toy.graph(), out)).0;
    assert!(draw(&[]).contains("summarise/grid       1 item   <- run/grid?\n"), "{}", draw(&[]));
    assert!(draw(&["--mermaid"]).contains("  s1 -.-> s2\n") && draw(&["--mermaid"]).contains("  s2 --> s3\n"));
    assert!(draw(&["--dot"]).contains("  s1 -> s2 [style=dashed];\n"));
}

#[test]
fn verify_hashes_everything_and_compares_with_the_lock() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    let check = |toy: &Toy, words: &[&str]| written(|out| verify::run(&typed(words), &toy.graph(), &toy.store(), out));
    let (text, code) = check(&toy, &[]);
    assert_eq!((text.as_str(), code), ("24 files hashed, 0 damaged; no results/pipeline.lock to compare with\n", DONE));
    check(&toy, &["--write-lock"]);
    let lock = fs::read_to_string(toy.path().join("results/pipeline.lock")).unwrap();
    assert_eq!((lock.lines().count(), lock.lines().next()), (6, Some("# results: 5")));
    assert!(lock.lines().is_sorted());
    assert_eq!(
        check(&toy, &[]),
        ("24 files hashed, 0 damaged; 0 of 5 results differ from pipeline.lock\n".into(), DONE)
    );

    // Of the lock, only what was asked for is compared.
    let (text, code) = check(&toy, &["figure/a"]);
    assert_eq!((text.lines().count(), code), (1, DONE), "{text}");

    // A flipped bit that leaves size and time alone is found here, because everything is hashed.
    let object = toy.object(1, 2);
    let time = fs::metadata(&object).unwrap().modified().unwrap();
    let sound = fs::read(&object).unwrap();
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&object, sound.to_ascii_uppercase()).unwrap();
    fs::File::open(&object).unwrap().set_modified(time).unwrap();
    let (text, code) = check(&toy, &[]);
    assert_eq!(code, FAILED);
    assert!(text.contains(": damaged\n") && text.contains("1 damaged"), "{text}");
    let (text, code) = check(&toy, &["--write-lock"]);
    assert!(code == FAILED && text.contains("the lock is as it was"), "{text}");
    assert_eq!(fs::read_to_string(toy.path().join("results/pipeline.lock")).unwrap(), lock);
    fs::write(&object, sound).unwrap();
    assert_eq!(check(&toy, &[]).1, DONE);

    toy.stages[3].code = 2;
    toy.run_all();
    let (text, code) = check(&toy, &[]);
    assert_eq!(code, DONE, "another key is another computation, not a wrong result");
    assert!(text.contains("out/figure/a.txt: cannot be compared: parameters, inputs or code are not"), "{text}");
    assert!(text.contains("0 of 4 results differ from pipeline.lock; 1 made otherwise and not compared"), "{text}");

    // The same key with different content is a wrong result.
    let (text, _) = check(&toy, &["--write-lock"]);
    assert!(text.ends_with("pipeline.lock: 5 lines\n"), "{text}");
    let lock = toy.path().join("results/pipeline.lock");
    let text = fs::read_to_string(&lock).unwrap();
    let line = text.lines().find(|line| line.starts_with("out/figure/a.txt")).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let other = format!("{} {} {} {}", words[0], words[1], "0".repeat(64), words[3]);
    fs::write(&lock, text.replace(line, &other)).unwrap();
    let (text, code) = check(&toy, &[]);
    assert_eq!(code, FAILED);
    assert!(text.contains("out/figure/a.txt: differs from pipeline.lock although its key is the same"), "{text}");
    assert!(text.contains("1 of 5 results differ from pipeline.lock\n"), "{text}");

    // A lock of fewer results says so.
    toy.stages[3].code = 3;
    let (told, code) = check(&toy, &["--write-lock"]);
    assert!(
        code == DONE && told.contains("4 lines\n1 result of the former lock left out, not made or stale"),
        "{told}"
    );

    // A lock that says nothing is no comparison that went well.
    for nothing in ["", "garbage\n", text.lines().next().unwrap()] {
        fs::write(&lock, nothing).unwrap();
        let (text, code) = check(&toy, &[]);
        assert!(code == FAILED && text.contains("nothing compared with pipeline.lock"), "{nothing}: {text}");
    }
}

#[test]
fn gc_removes_what_no_graph_refers_to() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    let old = toy.graph();
    toy.stages[1].items[3].value = 100;
    toy.run_all();
    let objects = || toy.results().keys().filter(|path| path.starts_with("results")).count();
    let collect = |graphs: &[_], dry_run| {
        let words: &[&str] = if dry_run { &["-n"] } else { &[] };
        written(|out| gc::run(&typed(words), graphs, &toy.store(), out)).0
    };
    // A process that was killed may leave half a character.
    fs::write(toy.path().join("results/log/measurements-0.jsonl"), b"{\"key\": \"\xc3\n").unwrap();
    assert_eq!(collect(&[toy.graph(), old], false), "", "the old graph still refers to its cell");
    assert_eq!(objects(), 21);
    assert_eq!(collect(&[toy.graph()], true).lines().count(), 1);
    assert_eq!(objects(), 21);
    collect(&[toy.graph()], false);
    assert_eq!(objects(), 20);
    assert!(toy.run_all().is_noop());
    let logs = fs::read_dir(toy.path().join("results/log")).unwrap();
    let logs: Vec<_> = logs.map(|entry| entry.unwrap().file_name()).collect();
    assert!(logs.iter().any(|name| name == "measurements.jsonl") && logs.len() == 2, "{logs:?}");

    // Of two measurements of one item the later one stays, whatever wrote it and whatever has been joined before.
    let joined = toy.path().join("results/log/measurements.jsonl");
    let measured = || fs::read_to_string(&joined).unwrap();
    let line = measured().lines().find(|line| line.contains("figure/a")).unwrap().to_owned();
    let later = line.replace(r#""group":"figure/a""#, r#""group":"later""#);
    assert_ne!(line, later);
    fs::write(joined.with_file_name("measurements-1700000000000-here-1.jsonl"), format!("{later}\n")).unwrap();
    collect(&[toy.graph()], false);
    assert!(measured().contains(&later) && !measured().contains(&line), "{}", measured());

    // What is there is there, although an attempt to make it again has failed.
    let key = hex(toy.plan(&RunRequest::default()).keys[1][3]);
    let note = toy.path().join(format!("results/store/failures/{key}.json"));
    fs::create_dir_all(note.parent().unwrap()).unwrap();
    fs::write(&note, r#"{"stage": "run/grid", "item": "value=100", "error": "damaged"}"#).unwrap();
    collect(&[toy.graph()], false);
    assert!(!note.exists());

    fs::write(joined.with_file_name("measurements-1.jsonl"), b"{\"key\": \"\xc3\n[\n\n").unwrap();
    let warnings = noregret_engine::exec::gc::gc(&[toy.graph()], &toy.store(), false).unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("measurements-1.jsonl: 2 lines that cannot be read were skipped"), "{warnings:?}");

    let busy = Scratch::open(&toy.store()).unwrap();
    let stop = gc::run(&typed(&[]), &[toy.graph()], &toy.store(), &mut Vec::new()).unwrap_err();
    assert!(stop.message.contains("a run is in progress"), "{}", stop.message);
    let stop = clean::run(&typed(&[]), &toy.graph(), &toy.store(), &mut Vec::new()).unwrap_err();
    assert_eq!((stop.status, objects()), (75, 20), "{}", stop.message);
    drop(busy);
}

#[test]
fn clean_removes_what_the_targets_made() {
    let toy = Toy::new(demo());
    toy.run_all();
    let before = toy.results();
    let clean = |targets: &[&str], dry_run: bool| {
        let words: Vec<&str> = targets.iter().copied().chain(dry_run.then_some("-n")).collect();
        written(|out| clean::run(&typed(&words), &toy.graph(), &toy.store(), out)).0
    };
    // A run that was killed while it replaced an object leaves two under one key.
    let object = toy.object(1, 2);
    let name: Vec<&str> = object.file_name().unwrap().to_str().unwrap().split('.').collect();
    let other = "0".repeat(name[1].len());
    let second = object.with_file_name([&[name[0], &other], &name[2..]].concat().join("."));
    fs::copy(&object, &second).unwrap();
    let listed = clean(&["run/grid"], true);
    assert!([&object, &second].iter().all(|path| listed.contains(path.to_str().unwrap())), "{listed}");
    fs::remove_file(second).unwrap();
    assert!(clean(&["figure/a"], true).contains("out/figure/a.txt"));
    assert_eq!(toy.results(), before);
    clean(&["figure/a"], false);
    assert_eq!(toy.planned(&RunRequest::default()), [("figure/a".to_owned(), 0)].into());
    clean(&[], false);
    assert_eq!(toy.results().len(), 1, "downloads stay");
    clean(&["fetch/*"], false);
    assert_eq!(toy.results().len(), 0);
    toy.run_all();
    assert_eq!(toy.results(), before);
}

#[test]
fn the_log_has_a_line_per_run_that_did_something() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    toy.run_all();
    toy.trouble.insert(("figure/a".into(), 1), Trouble::Fail("no ink"));
    toy.run(&RunRequest { targets: vec!["figure/a".into()], force: true, ..RunRequest::default() });
    let runs = toy.path().join("results/log/runs.jsonl");
    fs::write(&runs, [b"{\"when\": \"\xc3\n".to_vec(), fs::read(&runs).unwrap()].concat()).unwrap();
    let (text, _) = written(|out| log::run(&typed(&[]), &toy.store(), out));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("done") && lines[0].contains("24 made") && lines[0].ends_with("everything"), "{text}");
    assert!(lines[1].contains("failed") && lines[1].ends_with("figure/a"), "{text}");
}

#[test]
fn later_runs_are_forecast_from_earlier_ones() {
    let mut toy = Toy::new(demo());
    toy.run_all();
    toy.stages[1].code = 2;
    let (plan, rates) =
        noregret_engine::exec::engine::dry_run(&toy.graph(), &RunRequest::default(), &toy.store()).unwrap();
    let (seconds, unknown) = plan.seconds(&toy.graph(), &rates);
    assert_eq!(unknown, 0);
    assert!(seconds > 0.0 && seconds.is_finite());
    assert_eq!(Toy::new(demo()).plan(&RunRequest::default()).seconds(&toy.graph(), &Default::default()).1, 24);
}
