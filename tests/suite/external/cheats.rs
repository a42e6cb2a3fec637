//! What a process can do against the program that plays it, and cannot where it is isolated. Each cheat succeeds if isolation
//! is switched off.

use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::process::{Command, Stdio};

use noregret_study::external::isolation::possible;
use rustix::process::{Pid, Signal, kill_process};

use super::kills::waited;
use super::{processes, python};
use crate::pipeline::project::{Ended, Small};

/// Whether processes are isolated here without a gap, and Python is there. Where not, a test says that it is skipped.
fn isolates() -> bool {
    let told = match possible() {
        Ok([]) => return python(None),
        Ok(gaps) => format!("processes can {}", gaps.join(" and ")),
        Err(why) => why.to_owned(),
    };
    let _ = writeln!(std::io::stderr(), "skipped a test of isolation: {told}");
    false
}

/// Targets that nothing in the inputs tells.
fn targets() -> Vec<f64> {
    (0..200_u64).map(|t| (t * 48_271 % 65_537) as f64 / 65_537.0).collect()
}

fn rows(targets: &[f64]) -> String {
    let rows: String = targets.iter().map(|y| format!("0.5,{y}\n")).collect();
    format!("x,y\n{rows}")
}

/// A project with the learner `cheat`, which cheats in this way, with what `at` says and these lines in its declaration.
fn project(how: &str, at: &str, more: &str) -> Small {
    let project = Small::new();
    project.write("learners/cheat.py", include_str!("cheat.py"));
    project.write("learners/answers.csv", &rows(&targets()));
    project.write("data.csv", &rows(&targets()));
    declare(&project, how, at, more);
    project
}

fn declare(project: &Small, how: &str, at: &str, more: &str) {
    project.write(
        "pipeline/learners/cheat.toml",
        &format!(
            "summary = 'A cheat'\nversion = '1'\ncommand = ['python3', 'learners/cheat.py', '{how}', 'at={at}']\n\
             files = ['learners/cheat.py', 'learners/answers.csv']\n{more}\n"
        ),
    );
}

const OFF: &str = "isolated = false";

/// `stream` over its file.
fn stream(project: &Small, learner: &str) -> Ended {
    project.noregret(&["stream", "--learner", learner, "--input", "data.csv", "--target", "y", "--output", "out.csv"])
}

/// What the learner predicts there.
fn predictions(project: &Small, learner: &str) -> Vec<f64> {
    let ended = stream(project, learner);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let mut reader = csv::Reader::from_path(project.path().join("out.csv")).unwrap();
    let at = reader.headers().unwrap().iter().position(|name| name == "prediction").unwrap();
    reader.records().map(|row| row.unwrap()[at].parse().unwrap()).collect()
}

/// Whether a cheat succeeds in the last of so many runs.
fn succeeds(how: &str, at: &str, more: &str, runs: usize) -> bool {
    let project = project(how, at, more);
    let last = (0..runs).fold(Vec::new(), |_, _| predictions(&project, "cheat"));
    assert!(last.iter().all(|one| *one == last[0] && (*one == 0.0 || *one == 1.0)), "{how}: {last:?}");
    last[0] == 1.0
}

#[test]
fn a_process_cannot_read_the_input_unless_its_declaration_names_it() {
    if !isolates() {
        return;
    }
    let project = project("input", "", "");
    let file = project.path().join("data.csv").display().to_string();
    for (more, known, told) in [
        ("", false, "isolated: it reads installed programs and its own files only, and has no network"),
        (
            "reads = ['data.csv']",
            true,
            "isolated: it reads installed programs and its own files only, its declaration adds data.csv, and",
        ),
        (OFF, true, "not isolated, as its declaration says: it can read what its user can, also the data"),
    ] {
        declare(&project, "input", &file, more);
        assert_eq!(predictions(&project, "cheat") == targets(), known, "{more}");
        let said = stream(&project, "cheat").stderr;
        assert!(said.contains(&format!("cheat: its process is {told}")), "{more}: {said}");
        let described = project.noregret(&["describe", "cheat"]).stdout;
        assert!(described.contains(&format!("its process is {told}")), "{more}: {described}");
        // A run says so only where something is amiss.
        project.write(
            "pipeline/experiments/cheat.toml",
            "title = 'Cheat'\nreplicates = 1\nhorizons = [20]\n[stream]\nlaw = 'uniform-inputs'\ndim = 2\n\
             [[learners]]\nname = 'cheat'\n",
        );
        let ran = project.run(&["run/cheat"]).stderr;
        assert_eq!(ran.contains("not isolated"), more == OFF, "{more}: {ran}");
    }
    let own = stream(&project, "running-mean").stderr;
    assert!(!own.contains("isolated"), "{own}");
}

/// A file that is open when the program starts, as by `9<data.csv`, is not open in its processes.
#[test]
fn a_process_inherits_no_open_file() {
    if !isolates() {
        return;
    }
    let project = project("inherited", "", "");
    for (more, known) in [("", false), (OFF, true)] {
        declare(&project, "inherited", "", more);
        let plain = project.command(&["stream", "--learner", "cheat", "--input", "data.csv", "--target", "y"]);
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 9<data.csv", "sh"]).arg(plain.get_program()).args(plain.get_args());
        command.current_dir(project.path()).envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ended: Ended = command.output().unwrap().into();
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        assert_eq!(ended.stderr.contains("average loss 0,"), known, "{more}: {}", ended.stderr);
    }
}

#[test]
fn a_process_cannot_look_at_its_parent_or_at_others_in_proc() {
    if !isolates() {
        return;
    }
    for how in ["cmdline", "environ", "open files", "folder", "maps", "processes"] {
        assert!(!succeeds(how, "", "", 1), "{how}");
        assert!(succeeds(how, "", OFF, 1), "{how}: the control");
    }
}

#[test]
fn a_process_cannot_list_the_home_folder() {
    if !isolates() || !std::env::home_dir().is_some_and(|home| home.is_dir()) {
        return;
    }
    assert!(!succeeds("home", "", "", 1));
    assert!(succeeds("home", "", OFF, 1), "the control");
    // One that insists fails, and is told what to do.
    let project = project("home", "", "");
    project.edit("learners/cheat.py", "except OSError", "except KeyError");
    let said = stream(&project, "cheat").stderr;
    assert!(said.contains("Permission denied") && said.contains("what else it needs in `reads`"), "{said}");
}

/// What a run leaves behind for the next one: a file in a folder that all share, the time of one of its own files, memory of
/// the system, a child that hides.
#[test]
fn a_process_finds_nothing_that_an_earlier_run_has_left() {
    if !isolates() {
        return;
    }
    let (folder, own) = (tempfile::tempdir().unwrap(), std::process::id());
    let shared = format!("/dev/shm/noregret-cheat-{own}");
    for at in [folder.path().join("state").display().to_string(), shared] {
        assert!(!succeeds("file", &at, "", 2), "{at}");
        assert!(succeeds("file", &at, OFF, 2), "{at}: the control");
        std::fs::remove_file(at).unwrap();
    }
    let (key, token) = ((own + 77_000_000).to_string(), format!("noregret-survivor-{own}"));
    for (how, at) in [("stamp", ""), ("memory", key.as_str()), ("survivor", token.as_str())] {
        assert!(!succeeds(how, at, "", 2), "{how}");
        assert!(succeeds(how, at, OFF, 2), "{how}: the control");
    }
    // They end when they are told to; nothing else knows them.
    for id in processes(&token).into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(id, Signal::KILL);
    }
    assert!(waited(|| processes(&token).is_empty()));
}

#[test]
fn a_process_reaches_no_server() {
    if !isolates() {
        return;
    }
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let ports = [tcp.local_addr(), udp.local_addr()].map(|at| at.unwrap().port().to_string());
    for (more, reached) in [("", false), (OFF, true)] {
        assert_eq!(succeeds("tcp", &ports[0], more, 1), reached);
        assert_eq!(succeeds("udp", &ports[1], more, 1), reached);
        assert_eq!(tcp.accept().is_ok(), reached);
        assert_eq!(udp.recv(&mut [0; 8]).is_ok(), reached);
    }
}

/// Nor can it set limits, by which a process is ended too. What one that is not isolated can do is said below.
#[test]
fn an_isolated_process_cannot_end_or_halt_the_program() {
    if !isolates() {
        return;
    }
    for signal in ["SIGKILL", "SIGTERM", "SIGINT", "SIGSTOP"] {
        assert!(!succeeds("kill", signal, "", 1), "{signal}");
    }
    assert_eq!(stream(&project("kill", "SIGTERM", OFF), "cheat").status, 143, "the control");
    assert!(!succeeds("limit", "", "", 1));
    assert!(succeeds("limit", "", OFF, 1), "the control");
}

/// Predictions owe nothing to later rows of the file, which a cheat that can read them uses.
#[test]
fn predictions_do_not_change_when_future_rows_are_replaced() {
    if !isolates() {
        return;
    }
    for (more, same) in [("", true), (OFF, false)] {
        let project = project("mean", "", "");
        declare(&project, "mean", &project.path().join("data.csv").display().to_string(), more);
        let before = predictions(&project, "cheat");
        let other: Vec<f64> = targets().iter().enumerate().map(|(t, y)| if t < 100 { *y } else { -y }).collect();
        project.write("data.csv", &rows(&other));
        let after = predictions(&project, "cheat");
        // The last target that the first 101 predictions may use is that of row 100.
        assert_eq!(before[..101] == after[..101], same, "{more}");
        assert_ne!(before[102..], after[102..], "{more}: what was replaced is used later");
    }
}

/// No isolation keeps a learner from answers in its own files: it is the same learner with or without them. Replaced targets
/// show it: its predictions stay as they were, to the bit, and are wrong; those of a learner that learns change.
#[test]
fn answers_in_a_learners_own_files_are_seen_where_other_targets_contradict_them() {
    if !isolates() {
        return;
    }
    let project = project("answers", "", "");
    let (known, learnt) = (predictions(&project, "cheat"), predictions(&project, "running-mean"));
    assert_eq!(known, targets(), "isolation does not see it");
    let contradicted: Vec<f64> = targets().into_iter().rev().collect();
    project.write("data.csv", &rows(&contradicted));
    assert_eq!(predictions(&project, "cheat"), known, "it owes nothing to what it is sent");
    assert_ne!(predictions(&project, "running-mean"), learnt, "the control: a learner that learns");
}

/// A process that is not isolated and ends the program that plays it. SIGTERM and SIGINT are interrupts, whoever sends them. SIGKILL leaves no
/// word, so the next run says it; and so it does where a busy machine did not let the program stop within its grace. No process stays
/// behind, nothing that was finished is lost, and the results are those of an undisturbed run.
#[test]
fn a_process_that_kills_the_program_takes_nothing_that_was_finished() {
    if !python(None) {
        return;
    }
    let target = "summarise/naughty";
    let whole = super::project(&["sound"], 200, "undisturbed-parent");
    whole.run(&[target]);
    for (signal, status) in [("SIGKILL", None), ("SIGTERM", Some(143)), ("SIGINT", Some(130))] {
        let token = "undisturbed-parent";
        let project = super::project(&["sound"], 200, token);
        project.edit("pipeline/learners/naughty.toml", "version = '1'", "version = '1'\nisolated = false");
        let kill = format!(
            "now = count == 10\n        if now:\n            import signal\n            os.kill(os.getppid(), signal.{signal})"
        );
        project.edit("learners/naughty.py", "now = count == 10", &kill);
        let folders = tempfile::tempdir().unwrap();
        let mut command = project.command(&["run", "--offline", target, "-j", "1"]);
        let ended = command.env("TMPDIR", folders.path()).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), status, "{signal}: {said}");
        let in_order = said.contains("interrupted; nothing is lost");
        let late = said.contains("interrupted: what was running did not stop in time");
        assert_eq!(in_order || late, status.is_some(), "{signal}: {said}");
        assert!(waited(|| processes(token).is_empty()), "{signal}: a process stayed behind");
        assert!(waited(|| std::fs::read_dir(folders.path()).unwrap().next().is_none()), "{signal}: a folder stayed");
        let stored = || project.files(&["results/store/objects"]);
        let finished = stored();
        project.write("learners/naughty.py", include_str!("naughty.py"));
        let next = project.run(&[target, "-j", "1"]);
        let told = next.stderr.contains("an earlier run did not end in order");
        assert_eq!(told, !in_order, "{signal}: {said}{}", next.stderr);
        assert!(finished.iter().all(|file| stored().contains(file)), "{signal}: what was finished is gone");
        // A run of the edited file that was over before the signal arrived is in the store, too, where nothing asks for it.
        let (mut results, undisturbed) = (project.results(), whole.results());
        results.retain(|name, _| undisturbed.contains_key(name) || !name.starts_with("results/store/objects"));
        assert!(results == undisturbed, "{signal}");
    }
}
