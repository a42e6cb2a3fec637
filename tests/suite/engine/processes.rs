//! Processes that are killed at any moment, run two at once, or run out of space. The child of each test is this test
//! binary, which runs the same test with an environment variable.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use noregret::cli::exit::of_run;
use noregret::cli::run::summary_text;
use noregret_engine::exec::engine::{self, RunRequest};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::Silent;
use noregret_engine::exec::store::ResultStore;
use noregret_numeric::draw::{Draws, Role};

use crate::engine::toy::{Toy, ToyStage, Trouble, demo, graph, grid, results};

const CHILD: &str = "NOREGRET_TEST_CHILD";
/// If set, one item of the child works until it is interrupted.
const AWAIT: &str = "NOREGRET_TEST_AWAIT";

/// In the child, runs the demo in the folder that the variable names, with items of 5 ms, and ends the process.
fn child() {
    child_of(&demo(), Duration::from_millis(5));
}

/// The same with these stages, whose items sleep so long.
fn child_of(stages: &[ToyStage], sleep: Duration) {
    let Some(folder) = env::var_os(CHILD) else { return };
    let folder = Path::new(&folder);
    let interrupt = Interrupt::install().unwrap();
    let executed = Arc::default();
    let mut trouble = BTreeMap::new();
    if env::var_os(AWAIT).is_some() {
        trouble.insert(("run/grid".to_owned(), 3), Trouble::Await);
    }
    let graph = graph(stages, folder, &trouble, sleep, &executed, &interrupt);
    let request = RunRequest { jobs: 2, ..RunRequest::default() };
    match engine::run(&graph, &request, &ResultStore::new(folder), &Silent, &interrupt) {
        Ok(summary) => {
            eprint!("{}", summary_text(&summary, &Default::default()));
            std::process::exit(i32::from(of_run(&summary, false)));
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// Starts the test named `name` as a child in `folder`, through a shell command that ends in `exec "$0" "$@"`.
fn start(name: &str, folder: &Path, shell: &str) -> Child {
    Command::new("sh")
        .arg("-c")
        .arg(format!("{shell} exec \"$0\" \"$@\""))
        .arg(env::current_exe().unwrap())
        .args([&format!("engine::processes::{name}"), "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for a child; returns its exit status and its standard error.
fn end(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn undisturbed() -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let toy = Toy::new(demo());
    toy.run_all();
    toy.results()
}

#[test]
fn killed_twenty_times_the_results_are_those_of_an_undisturbed_run() {
    child();
    let folder = tempfile::tempdir().unwrap();
    let mut draw = Draws::named(&["kill"]).at(Role::Start, 0);
    for _ in 0..20 {
        let mut child = start("killed_twenty_times_the_results_are_those_of_an_undisturbed_run", folder.path(), "");
        sleep(Duration::from_millis(draw.below(60) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let last = start("killed_twenty_times_the_results_are_those_of_an_undisturbed_run", folder.path(), "");
    let (code, said) = end(last);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(results(folder.path()), undisturbed());
    // A run that has something to do removes what killed runs left behind. No item was executed without need: each kill
    // costs at most the two items that were running.
    let executed = fs::read_to_string(folder.path().join("executed.log")).unwrap().lines().count();
    assert!(executed <= 24 + 20 * 2, "{executed} executions");
    let again = start("killed_twenty_times_the_results_are_those_of_an_undisturbed_run", folder.path(), "");
    let (code, said) = end(again);
    assert_eq!((code, said.as_str()), (Some(0), "nothing to do: 24 fresh\n"));
}

#[test]
fn two_runs_at_once_make_nothing_twice() {
    child();
    let folder = tempfile::tempdir().unwrap();
    let name = "two_runs_at_once_make_nothing_twice";
    let children = [start(name, folder.path(), ""), start(name, folder.path(), "")];
    // Other processes may look meanwhile.
    let looking = Toy::new(demo());
    let (plan, _) =
        engine::dry_run(&looking.graph(), &RunRequest::default(), &ResultStore::new(folder.path())).unwrap();
    assert!(plan.steps.len() <= 24);
    for child in children {
        let (code, said) = end(child);
        assert_eq!(code, Some(0), "{said}");
    }
    let log = fs::read_to_string(folder.path().join("executed.log")).unwrap();
    let mut lines: Vec<&str> = log.lines().collect();
    let total = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!((total, lines.len()), (24, 24));
    assert_eq!(results(folder.path()), undisturbed());
}

/// A grid whose cells come into packs, and how many items it has.
fn packed() -> (Vec<ToyStage>, usize) {
    (grid(1500), 1504)
}

fn of_packed() -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let toy = Toy::new(packed().0);
    toy.run_all();
    toy.results()
}

#[test]
fn a_grid_in_packs_is_killed_and_goes_on_where_it_was() {
    let (stages, items) = packed();
    child_of(&stages, Duration::from_micros(500));
    let folder = tempfile::tempdir().unwrap();
    let name = "a_grid_in_packs_is_killed_and_goes_on_where_it_was";
    let mut draw = Draws::named(&["kill packs"]).at(Role::Start, 0);
    for _ in 0..12 {
        let mut child = start(name, folder.path(), "");
        sleep(Duration::from_millis(draw.below(250) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (code, said) = end(start(name, folder.path(), ""));
    assert_eq!(code, Some(0), "{said}");
    assert!(results(folder.path()) == of_packed());
    let executed = fs::read_to_string(folder.path().join("executed.log")).unwrap().lines().count();
    assert!(executed <= items + 12 * 2, "{executed} executions");
    let (code, said) = end(start(name, folder.path(), ""));
    assert_eq!((code, said), (Some(0), format!("nothing to do: {items} fresh\n")));
    let packs = fs::read_dir(folder.path().join("results/store/packs")).unwrap();
    let packs: Vec<String> = packs.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(packs.len() <= 13 && packs.iter().all(|name| name.ends_with(".zip")), "{packs:?}");
}

#[test]
fn two_runs_of_a_grid_in_packs_make_nothing_twice() {
    let (stages, items) = packed();
    child_of(&stages, Duration::from_micros(500));
    let folder = tempfile::tempdir().unwrap();
    let name = "two_runs_of_a_grid_in_packs_make_nothing_twice";
    let children = [start(name, folder.path(), ""), start(name, folder.path(), "")];
    for child in children {
        let (code, said) = end(child);
        assert_eq!(code, Some(0), "{said}");
    }
    let log = fs::read_to_string(folder.path().join("executed.log")).unwrap();
    let lines: std::collections::BTreeSet<&str> = log.lines().collect();
    assert_eq!((log.lines().count(), lines.len()), (items, items));
    assert!(results(folder.path()) == of_packed());
}

#[test]
fn a_signal_ends_the_run_in_order() {
    child();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let child = start("a_signal_ends_the_run_in_order", folder.path(), &format!("export {AWAIT}=1;"));
        // Once something was executed, signals are caught.
        while !folder.path().join("executed.log").exists() {
            sleep(Duration::from_millis(1));
        }
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{signal} {}", child.id())).status().unwrap();
        assert!(sent.success());
        let (status, said) = end(child);
        assert_eq!(status, Some(code), "{said}");
        assert!(said.contains("run the same command again"), "{said}");
        let (status, said) = end(start("a_signal_ends_the_run_in_order", folder.path(), ""));
        assert_eq!(status, Some(0), "{said}");
        assert_eq!(results(folder.path()), undisturbed());
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing_half_written() {
    child();
    let folder = tempfile::tempdir().unwrap();
    let name = "a_full_disk_is_told_and_leaves_nothing_half_written";
    // A limit on the size of files acts like a full disk: the summary of twenty cells is larger than 1 KiB.
    let (code, said) = end(start(name, folder.path(), "ulimit -f 1;"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("out/summarise/grid.txt: File too large"), "{said}");
    assert!(said.contains("run the same command again"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(!folder.path().join("out/summarise/grid.txt").exists());
    assert_eq!(fs::read_dir(folder.path().join("results/store/tmp")).unwrap().count(), 0);
    let (code, said) = end(start(name, folder.path(), ""));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(results(folder.path()), undisturbed());
}
