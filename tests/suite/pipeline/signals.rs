//! SIGINT and SIGTERM, at any moment of any command.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};

use super::project::{Small, read};

const SIGNALS: [(Signal, i32); 2] = [(Signal::INT, 130), (Signal::TERM, 143)];

/// Waits until something holds; ten seconds are enough for each.
fn waited(mut holds: impl FnMut() -> bool) {
    let held = (0..10_000).any(|_| {
        holds() || {
            sleep(Duration::from_millis(1));
            false
        }
    });
    assert!(held, "what was awaited does not come");
}

/// Whether a process has handlers for SIGINT and SIGTERM: before, it is no program of ours that runs, but its loader.
fn catches(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    [Signal::INT, Signal::TERM].iter().all(|signal| mask & (1 << (signal.as_raw() - 1)) != 0)
}

/// Sends a signal; the exit status, or minus the signal that ended the process.
fn signalled(mut child: Child, signal: Signal) -> i32 {
    let _ = kill_process(Pid::from_child(&child), signal);
    waited(|| child.try_wait().unwrap().is_some());
    let status = child.wait().unwrap();
    status.code().unwrap_or_else(|| -status.signal().unwrap_or_default())
}

/// A command that waits for a file of the project, before it knows what to do, ends with the status of the signal.
#[test]
fn a_signal_while_the_configuration_is_read_ends_with_its_status() {
    let project = Small::new();
    let profiles = project.path().join("pipeline/profiles.toml");
    std::fs::remove_file(&profiles).unwrap();
    assert!(Command::new("mkfifo").arg(&profiles).status().unwrap().success());
    for command in [&["run", "--offline"][..], &["status"], &["dag"], &["explain", "run/*"], &["verify"]] {
        for (signal, status) in SIGNALS {
            let child = project.command(command).stdout(Stdio::null()).spawn().unwrap();
            // A pipe can be opened for writing once it is being read, and is read for as long as it is open.
            let mut pipe = None;
            waited(|| {
                let nonblocking = OFlags::NONBLOCK.bits() as i32;
                pipe = OpenOptions::new().write(true).custom_flags(nonblocking).open(&profiles).ok();
                pipe.is_some()
            });
            assert_eq!(signalled(child, signal), status, "{command:?}");
        }
    }
}

/// A command whose output nobody reads ends with the status of the signal, at whatever moment that comes: 40 moments, half a
/// millisecond apart. It cannot end by itself.
#[test]
fn a_signal_while_results_are_written_ends_with_its_status() {
    let project = Small::new();
    for (moment, (signal, status)) in (0..40).zip(SIGNALS.into_iter().cycle()) {
        let command = [&["list"][..], &["describe", "experiment", "--schema"], &["run", "-n", "-v", "--offline"]];
        let (reader, mut writer) = std::io::pipe().unwrap();
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        while writer.write(&[0; 4096]).is_ok() {}
        while writer.write(&[0]).is_ok() {}
        rustix::io::ioctl_fionbio(&writer, false).unwrap();
        let child = project.command(command[moment % 3]).stdout(writer).spawn().unwrap();
        waited(|| catches(&child));
        sleep(Duration::from_micros(500 * moment as u64));
        assert_eq!(signalled(child, signal), status, "{:?}, moment {moment}", command[moment % 3]);
        drop(reader);
    }
}

/// From the moment at which a program can catch signals on, it ends with the status of the signal or, where that comes after
/// its work, with that of its work: 60 runs and streams, each with its signal a millisecond later than the one before.
#[test]
fn no_command_is_ended_by_a_signal_itself() {
    let project = Small::new();
    let rows: String = (0..2000).map(|t| format!("{},{}\n", t % 17, t % 5)).collect();
    project.write("data.csv", &format!("x,y\n{rows}"));
    let mut ended = std::collections::BTreeMap::new();
    for (moment, (signal, status)) in (0..60).zip(SIGNALS.into_iter().cycle()) {
        let commands = [
            &["run", "--offline", "run/wine-quality", "-j", "2"][..],
            &["stream", "--learner", "kernel-awv", "--input", "data.csv", "--target", "y", "--output", "out.csv"],
            &["compare", "data.csv", "--target", "y", "--learners", "running-mean"],
            &["verify"],
        ];
        let command = commands[moment % 4];
        let said = std::fs::File::create(project.path().join("said")).unwrap();
        let child = project.command(command).stdout(Stdio::null()).stderr(said).spawn().unwrap();
        waited(|| catches(&child));
        sleep(Duration::from_millis(moment as u64));
        let found = signalled(child, signal);
        let said = read(&project.path().join("said"));
        // `verify` of a project that was not made ends with 1.
        let done = found == 0 || command == ["verify"] && found == 1;
        assert!(found == status || done, "{command:?}, moment {moment}: {found}: {said}");
        *ended.entry(found == status).or_insert(0) += 1;
    }
    assert!(ended.get(&true).is_some_and(|interrupted| *interrupted >= 5), "{ended:?}");
}
