//! Whatever is killed, nothing is lost, and no process stays behind.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{processes, project, python};
use crate::pipeline::project::{Small, signalled};

const TARGET: &str = "summarise/naughty";

/// Waits until something holds; 30 s are enough for each.
pub(super) fn waited(mut holds: impl FnMut() -> bool) -> bool {
    (0..3000).any(|_| {
        holds() || {
            sleep(Duration::from_millis(10));
            false
        }
    })
}

/// The learner's own processes with the token: the guard's has its folder instead.
fn one(token: &str) -> Option<Pid> {
    processes(token).first().and_then(|id| Pid::from_raw(*id))
}

fn undisturbed(project: &Small, token: &str) {
    project.run(&[TARGET, "-j", "2"]);
    let other = super::project(&["slow", "sound"], 400, token);
    other.run(&[TARGET]);
    assert_eq!(project.results(), other.results());
}

#[test]
fn a_killed_learner_fails_and_is_played_again() {
    if !python(None) {
        return;
    }
    let token = "killed-learner";
    let project = project(&["slow", "sound"], 400, token);
    let child = project.command(&["run", "--offline", TARGET, "-j", "2"]).stderr(Stdio::piped()).spawn().unwrap();
    // A process that was seen may have ended since.
    let killed = || one(token).is_some_and(|id| kill_process(id, Signal::KILL).is_ok());
    assert!(waited(killed), "no process was started");
    let ended: crate::pipeline::project::Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("signal 9"), "{}", ended.stderr);
    assert!(processes(token).is_empty());
    undisturbed(&project, token);
}

#[test]
fn a_killed_program_leaves_no_process_and_no_folder() {
    if !python(None) {
        return;
    }
    let token = "killed-program";
    let project = project(&["slow", "sound"], 400, token);
    let folders = tempfile::tempdir().unwrap();
    // The process would go on for a long time, whatever becomes of its input.
    project.edit("learners/naughty.py", "time.sleep(0.002)", "time.sleep(600 if count == 20 else 0.002)");
    let mut command = project.command(&["run", "--offline", TARGET, "-j", "2"]);
    let mut child = command.env("TMPDIR", folders.path()).stderr(Stdio::null()).spawn().unwrap();
    assert!(waited(|| one(token).is_some()), "no process was started");
    sleep(Duration::from_millis(200));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(waited(|| one(token).is_none()), "a process stayed behind");
    assert!(waited(|| std::fs::read_dir(folders.path()).unwrap().next().is_none()), "a folder stayed behind");
    project.write("learners/naughty.py", include_str!("naughty.py"));
    undisturbed(&project, token);
}

/// A signal does not wait for the end of a block of slow rounds.
#[test]
fn a_signal_stops_a_slow_learner() {
    if !python(None) {
        return;
    }
    let token = "signalled-learner";
    let project = project(&["slow", "sound"], 4000, token);
    project.edit("learners/naughty.py", "time.sleep(0.002)", "time.sleep(0.5)");
    let mut child = project.command(&["run", "--offline", TARGET]).stderr(Stdio::piped()).spawn().unwrap();
    // 20 s are enough; 256 rounds take two minutes.
    let status = signalled(&mut child, Signal::INT, || one(token).is_some());
    assert_eq!(status, Some(130));
    assert!(waited(|| one(token).is_none()), "a process stayed behind");
}

#[test]
fn two_runs_at_once_share_the_work() {
    if !python(None) {
        return;
    }
    let token = "two-at-once";
    let project = project(&["slow", "sound"], 400, token);
    let both: Vec<_> = (0..2)
        .map(|_| project.command(&["run", "--offline", TARGET, "-j", "2"]).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in both {
        let ended: crate::pipeline::project::Ended = child.wait_with_output().unwrap().into();
        assert_eq!(ended.status, 0, "{}", ended.stderr);
    }
    assert!(processes(token).is_empty());
    undisturbed(&project, token);
}

/// A child that has left the process group ends with the run, too, also when the program itself is killed.
#[test]
fn a_child_in_a_session_of_its_own_does_not_stay_behind() {
    if !python(None) {
        return;
    }
    for killed in [false, true] {
        let token = if killed { "own-session-killed" } else { "own-session" };
        let project = project(&["slow"], 200, token);
        let child = format!("import os, time; os.setsid(); os.fork(); time.sleep(600) # {token}");
        project.edit(
            "learners/naughty.py",
            "hello = json",
            &format!("import subprocess\nsubprocess.Popen([sys.executable, '-c', '{child}', '{token}'])\nhello = json"),
        );
        let mut run = project.command(&["run", "--offline", "run/naughty", "-j", "1"]).spawn().unwrap();
        assert!(waited(|| processes(token).len() > 2), "no child was started");
        if killed {
            run.kill().unwrap();
        }
        let status = run.wait().unwrap();
        assert_eq!(status.success(), !killed);
        assert!(waited(|| processes(token).is_empty()), "a process stays behind");
    }
}
