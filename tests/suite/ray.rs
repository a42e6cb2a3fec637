//! `noregret submit --engine ray`. Most tests play on a stand-in for Ray (ray/stub), which needs Python alone. One plays on Ray
//! itself, with two nodes on this machine, where NOREGRET_RAY names a Python that has it (`pip install ray`), and else says
//! that it is skipped.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::external::{processes, python};
use crate::pipeline::project::{Ended, Small, read, signalled};
use crate::pipeline::shards::makes;

const STUB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/ray/stub");

const SUBMIT: [&str; 6] = ["submit", "--offline", "--engine", "ray", "--jobs", "4"];

/// The command that submits a project to the stand-in.
fn stub(project: &Small) -> Command {
    let mut command = project.command(&SUBMIT);
    command.env("PYTHONPATH", STUB).env_remove("RAY_ADDRESS").env_remove("NOREGRET_PYTHON");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The logs of all tasks.
fn logs(project: &Small) -> String {
    let files = project.files(&["results/log/ray"]).into_iter().filter(|path| path.extension().unwrap() == "log");
    files.map(|path| format!("{}:\n{}", path.display(), read(&path))).collect()
}

/// How often tasks that make cells have begun.
fn begins(project: &Small) -> usize {
    logs(project).lines().filter(|line| line.starts_with("task ") && !line.starts_with("task 0 ")).count()
}

/// Checks that traces, tables and figures are those of another project, byte for byte, and that no cell was made twice.
fn assert_same(project: &Small, local: &Small, said: &str) {
    let (here, there) = (project.results(), local.results());
    let names = here.keys().chain(there.keys());
    let other: BTreeSet<&String> = names.filter(|name| here.get(*name) != there.get(*name)).collect();
    assert!(other.is_empty(), "other than locally: {other:?}\n{said}\n{}", logs(project));
    let made = makes(project);
    assert!(made.values().all(|&times| times == 1), "{made:?}\n{}", logs(project));
}

/// The processes of tasks of this project: each has the project's folder as an argument.
fn programs(project: &Small) -> Vec<i32> {
    processes(&project.path().canonicalize().unwrap().display().to_string())
}

fn cells_made(project: &Small) -> usize {
    project.stored().len()
}

/// Waits until something holds; two minutes are enough for each.
fn wait(what: &str, project: &Small, holds: impl Fn() -> bool) {
    for _ in 0..2400 {
        if holds() {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("waited in vain for {what}\n{}", logs(project));
}

#[test]
fn a_module_is_printed_without_ray_and_without_writing() {
    let project = Small::new();
    let before = project.stamps();
    let print = |more: &[&str]| -> Ended {
        let mut command = project.command(&["submit", "figure/*", "wine-quality.replicates=3", "--print", "-e", "ray"]);
        command.args(more).env("PATH", project.path()).output().unwrap().into()
    };
    let ended = print(&["--jobs", "3", "--cpus", "2", "--mem", "2G"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    for wanted in [
        "\"shards\": 3",
        "\"cpus\": 2,",
        "\"memory\": 2147483648,",
        "\"run\",\n    \"figure/*\",\n    \"wine-quality.replicates=3\",\n    \"--profile\",\n    \"paper\"\n  ]",
        "/results/log/ray/job\"",
        "import ray",
    ] {
        assert!(ended.stdout.contains(wanted), "{wanted} is not in\n{}", ended.stdout);
    }
    assert!(ended.stderr.contains("17 cells missing") && ended.stderr.contains(": 3 tasks"), "{}", ended.stderr);
    for (wrong, told) in [
        (&["--time", "2:00:00"][..], "--time is for Slurm alone"),
        (&["--partition", "long"], "--partition is for Slurm alone"),
        (&["--sbatch-arg=--account=lab"], "--sbatch-arg is for Slurm alone"),
        (&["--mem", "much"], "--mem much: a size is"),
    ] {
        let ended = print(wrong);
        assert_eq!((ended.status, ended.stderr.contains(told)), (2, true), "{told}: {}", ended.stderr);
    }
    assert_eq!(project.stamps(), before);
}

#[test]
fn what_is_missing_is_said_with_what_installs_it() {
    let project = Small::new();
    let before = project.stamps();
    let with = |python: &Path| -> Ended { stub(&project).env("NOREGRET_PYTHON", python).output().unwrap().into() };
    let absent = with(Path::new("/nowhere/python"));
    let told = "cannot start /nowhere/python";
    assert_eq!((absent.status, absent.stderr.contains(told)), (1, true), "{}", absent.stderr);
    assert!(absent.stderr.contains("python3 -m pip install ray"), "{}", absent.stderr);
    assert_eq!(project.stamps(), before);
    if !python(None) {
        return;
    }
    // Without its packages, and without the stand-in.
    let bare = project.path().join("bare-python");
    fs::write(&bare, "#!/bin/sh\nexec python3 -I -S \"$@\"\n").unwrap();
    fs::set_permissions(&bare, fs::Permissions::from_mode(0o755)).unwrap();
    let ended = with(&bare);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let told = format!("{0} has no Ray: `{0} -m pip install ray` installs it", bare.display());
    assert!(ended.stderr.contains(&told), "{}", ended.stderr);
    assert!(!project.path().join("results").exists());
}

#[test]
fn tasks_that_die_with_their_worker_are_played_again() {
    if !python(None) {
        return;
    }
    let (local, project) = (Small::new(), Small::new());
    local.run(&[]);
    let ended: Ended = stub(&project).env("NO_RAY_KILLS", "2").output().unwrap().into();
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_same(&project, &local, &ended.stderr);
    assert_eq!(begins(&project), 4 + 2, "{}", logs(&project));
    for told in ["14 cells in 4 tasks on Ray", "results/log/ray/job-1.py", "tail results/log/ray/job-1_*.log", "Ctrl-C"]
    {
        assert!(ended.stdout.contains(told), "{told}: {}", ended.stdout);
    }
    for told in ["tasks: 4 done, 0 running, 0 waiting, 0 failed", "tables, figures, report: 1 done", "Ray stub: 2 node"]
    {
        assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr);
    }
    assert!(project.planned(&[]).is_empty(), "{}", project.planned(&[]));
    let again: Ended = stub(&project).output().unwrap().into();
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    // Where no cell is missing, the last task is all, and quiet is quiet.
    fs::remove_dir_all(project.path().join("reports")).unwrap();
    let rest: Ended = stub(&project).arg("-q").output().unwrap().into();
    assert_eq!((rest.status, rest.stderr.as_str()), (0, ""), "{}", rest.stdout);
    assert_eq!(project.results(), local.results());
}

#[test]
fn a_cell_that_fails_cancels_nothing() {
    if !python(None) {
        return;
    }
    let project = Small::new();
    let ended: Ended = stub(&project).env("NOREGRET_FAIL_CELLS", "run/spline-regret:*:1").output().unwrap().into();
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(" failed: see ") && !ended.stderr.contains(" 0 failed\ntables"), "{}", ended.stderr);
    assert!(read(&project.path().join("reports/report.md")).contains("1 of 2"), "{}", logs(&project));
    let (local, again) = (Small::new(), stub(&project).output().unwrap());
    local.run(&[]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(project.results(), local.results());
    // A cluster that is not there, and tasks that no node has room for.
    let fresh = Small::new();
    let lost: Ended = stub(&fresh).env("RAY_ADDRESS", "elsewhere").output().unwrap().into();
    let told = "Ray at RAY_ADDRESS=elsewhere cannot be used: nothing answers";
    assert_eq!((lost.status, lost.stderr.contains(told)), (1, true), "{}", lost.stderr);
    let large: Ended = stub(&fresh).args(["--cpus", "2", "--mem", "8G"]).output().unwrap().into();
    let told = "no node has what a task needs: 2 processor(s), 8192 MiB of memory; --cpus and --mem ask for less";
    assert_eq!((large.status, large.stderr.contains(told)), (1, true), "{}", large.stderr);
}

/// A signal, and the end of the program itself, end all tasks with their processes. The next submission makes the rest.
#[test]
fn what_is_cancelled_leaves_no_process() {
    if !python(None) {
        return;
    }
    let local = Small::grid(1500, 20_000);
    local.run(&["-j", "2"]);
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let project = Small::grid(1500, 20_000);
        let mut child = stub(&project).spawn().unwrap();
        let begun = || cells_made(&project) >= 10 && !programs(&project).is_empty();
        if signal == Signal::KILL {
            wait("some cells", &project, begun);
            kill_process(Pid::from_child(&child), signal).unwrap();
            child.wait().unwrap();
        } else {
            let status = signalled(&mut child, signal, begun);
            assert_eq!(status, Some(128 + signal.as_raw()), "{signal:?}: {}", logs(&project));
            assert!(programs(&project).is_empty(), "{signal:?}");
        }
        wait("the processes to end", &project, || programs(&project).is_empty());
        assert!((10..220).contains(&cells_made(&project)), "{signal:?}: {}", cells_made(&project));
        assert!(!project.path().join("reports").exists(), "{signal:?}: no last task");
        let ended: Ended = stub(&project).output().unwrap().into();
        assert_eq!(ended.status, 0, "{signal:?}: {}", ended.stderr);
        assert_same(&project, &local, &ended.stderr);
    }
}

/// A Ray of two nodes, which ray/cluster.py holds.
struct Cluster {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    address: String,
}

impl Cluster {
    fn start(python: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/ray/cluster.py");
        let mut command = Command::new(python);
        let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut cluster = Self { child, input, output, address: String::new() };
        cluster.address = cluster.line();
        assert!(cluster.address.contains(':'), "no cluster: {:?}", cluster.address);
        cluster
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Kills the second node with all that plays there.
    fn kill_node(&mut self) {
        self.input.as_mut().unwrap().write_all(b"kill\n").unwrap();
        assert_eq!(self.line(), "killed");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// On Ray itself. One of two nodes dies while it plays a task.
#[test]
fn a_node_of_ray_dies_and_the_grid_is_a_local_run() {
    let Some(python) = std::env::var("NOREGRET_RAY").ok().filter(|name| !name.is_empty()) else {
        let why = "NOREGRET_RAY names no Python with Ray (pip install ray)";
        drop(writeln!(std::io::stderr(), "skipped the test of `noregret submit --engine ray` on Ray itself: {why}"));
        return;
    };
    let local = Small::grid(1500, 30_000);
    local.run(&["-j", "2"]);
    let submit = |project: &Small, address: &str| {
        let mut command = project.command(&SUBMIT);
        command.env("NOREGRET_PYTHON", &python).env("RAY_ADDRESS", address);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let dies = || {
        let (mut cluster, project) = (Cluster::start(&python), Small::grid(1500, 30_000));
        let child = submit(&project, &cluster.address);
        // The cells that take a while are made first.
        wait("some cells", &project, || cells_made(&project) >= 8);
        cluster.kill_node();
        let there = cells_made(&project);
        assert!((8..220).contains(&there), "{there} cells were made before the node died");
        let ended: Ended = child.wait_with_output().unwrap().into();
        assert_eq!(ended.status, 0, "{}\n{}", ended.stderr, logs(&project));
        assert_same(&project, &local, &ended.stderr);
        assert!(ended.stderr.contains("2 node(s), 2 processors"), "{}", ended.stderr);
        // What Ray says stands in a file of its own.
        assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("raylet"), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains("tasks: 4 done, 0 running, 0 waiting, 0 failed"), "{}", ended.stderr);
        let again = begins(&project) - 4;
        (project, again)
    };
    // Where the node's task had just ended, nothing has to begin again, and another grid is played.
    let (project, again) =
        (0..3).map(|_| dies()).find(|(_, again)| *again > 0).expect("no task began again in three grids");
    assert_eq!(again, 1, "one task began again\n{}", logs(&project));
    assert!(read(&project.path().join("results/log/ray/job-1_ray.log")).contains("will be retried"));

    // A Ray of this machine alone, which a signal ends with all that plays.
    let project = Small::grid(1500, 30_000);
    let mut child = submit(&project, "");
    wait("some cells", &project, || cells_made(&project) >= 10);
    let status = signalled(&mut child, Signal::TERM, || true);
    assert_eq!(status, Some(143), "{}", logs(&project));
    wait("the processes to end", &project, || programs(&project).is_empty());
    let ended: Ended = submit(&project, "").wait_with_output().unwrap().into();
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_same(&project, &local, &ended.stderr);
}
