//! What a process can do against the program that plays it, today: it is not isolated. Isolation has to turn these tests
//! around.

use std::process::Stdio;

use super::kills::waited;
use super::{processes, python};
use crate::pipeline::project::{Ended, Small, read};

/// A project with the learner `cheat`, of this script.
fn project(script: &str) -> Small {
    let project = Small::new();
    project.write("learners/cheat.py", script);
    project.write(
        "pipeline/learners/cheat.toml",
        "summary = 'A cheat'\nversion = '1'\ncommand = ['python3', 'learners/cheat.py']\nfiles = ['learners/cheat.py']\n",
    );
    // Nothing in the inputs tells the targets.
    let rows: String = (0..200_u64).map(|t| format!("0.5,{}\n", (t * 48_271 % 65_537) as f64 / 65_537.0)).collect();
    project.write("data.csv", &format!("x,y\n{rows}"));
    project
}

/// `stream` over its file.
fn stream(project: &Small, learner: &str) -> Ended {
    project.noregret(&["stream", "--learner", learner, "--input", "data.csv", "--target", "y", "--output", "out.csv"])
}

/// A process that looks up the file in its parent's command line would predict every target. Where processes are isolated it cannot; else
/// the program says that it could, in the summary, in `describe` and in the book. It says so of no learner of its own.
#[test]
fn a_process_cannot_read_its_parents_command_line_or_the_program_says_that_it_can() {
    if !cfg!(target_os = "linux") || !python(None) {
        return;
    }
    let project = project(include_str!("cheat.py"));
    let (honest, cheat) = (stream(&project, "running-mean"), stream(&project, "cheat"));
    assert_eq!(honest.status, 0, "{}", honest.stderr);
    assert!(!honest.stderr.contains("average loss 0,") && !honest.stderr.contains("isolated"), "{}", honest.stderr);
    let described = project.noregret(&["describe", "cheat"]).stdout;
    if is_possible() {
        assert!(cheat.status == 1 && cheat.stderr.contains("PermissionError"), "{}", cheat.stderr);
        assert!(described.contains("its process is isolated"), "{described}");
        return;
    }
    assert!(cheat.status == 0 && cheat.stderr.contains("200 rounds, average loss 0,"), "{}", cheat.stderr);
    let warned = "its process is not isolated: it can read what its user can, also the data and their targets";
    assert!(cheat.stderr.contains(&format!("cheat: {warned}")) && described.contains(warned), "{described}");
}

/// A process that ends the program that plays it. SIGTERM and SIGINT are interrupts, whoever sends them. SIGKILL leaves no
/// word, so the next run says it. No process stays behind, nothing that was finished is lost, and the results are those of
/// an undisturbed run.
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
        let kill = format!(
            "now = count == 10\n        if now:\n            import signal\n            os.kill(os.getppid(), signal.{signal})"
        );
        project.edit("learners/naughty.py", "now = count == 10", &kill);
        let folders = tempfile::tempdir().unwrap();
        let mut command = project.command(&["run", "--offline", target, "-j", "1"]);
        let ended = command.env("TMPDIR", folders.path()).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), status, "{signal}: {said}");
        assert_eq!(said.contains("nothing is lost"), status.is_some(), "{signal}: {said}");
        assert!(waited(|| processes(token).is_empty()), "{signal}: a process stayed behind");
        assert!(waited(|| std::fs::read_dir(folders.path()).unwrap().next().is_none()), "{signal}: a folder stayed");
        let stored = || project.files(&["results/store/objects"]);
        let finished = stored();
        project.write("learners/naughty.py", include_str!("naughty.py"));
        let next = project.run(&[target, "-j", "1"]);
        let told = next.stderr.contains("an earlier run did not end in order");
        assert_eq!(told, status.is_none(), "{signal}: {}", next.stderr);
        assert!(finished.iter().all(|file| stored().contains(file)), "{signal}: what was finished is gone");
        assert_eq!(project.results(), whole.results(), "{signal}");
    }
}
