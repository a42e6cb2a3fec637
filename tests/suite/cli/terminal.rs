//! Standard output and standard error: pipes that close, quiet and verbose, colours, folders.

use std::io::Read as _;
use std::process::Stdio;

use super::{ends, printed};
use crate::pipeline::project::Small;

/// A reader that leaves ends the program quietly, with status 0.
#[test]
fn a_closed_pipe_is_a_normal_end() {
    let project = Small::new();
    // Every round: more than a pipe holds.
    project.edit("pipeline/experiments/wine-quality.toml", "replicates = 2", "replicates = 2\ndense = true");
    project.run(&["summarise/wine-quality"]);
    for more in [&["--format", "csv"][..], &["--json"], &["-c", "all"]] {
        let arguments = [&["query", "traces/wine-quality"], more].concat();
        let mut child = project.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""), "{more:?}");
    }
    assert!(printed(&project, &["query", "traces/wine-quality", "--json"]).len() > 1 << 18);
}

#[test]
fn quiet_says_only_what_went_wrong() {
    let project = Small::new();
    let quiet = ends(&project, 0, &["-q", "run", "--offline", "run/spline-regret"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let wrong = ends(&project, 2, &["run", "-q", "nope"]);
    assert!(wrong.stderr.starts_with("error: no stage"), "{}", wrong.stderr);
    let mut failing = project.command(&["-q", "run", "--offline", "-f", "run/spline-regret"]);
    let failed = failing.env("NOREGRET_FAIL_CELLS", "run/*").output().unwrap();
    let told = String::from_utf8_lossy(&failed.stderr);
    assert!(failed.status.code() == Some(1) && told.lines().count() == 4, "{told}");
    assert!(told.lines().all(|line| line.starts_with("failed: run/spline-regret ")), "{told}");
}

#[test]
fn verbose_says_every_step() {
    let project = Small::new();
    let ended = ends(&project, 0, &["-v", "run", "--offline", "run/spline-regret"]);
    assert_eq!(ended.stderr.matches("run/spline-regret AWV on").count(), 4, "{}", ended.stderr);
    let why = printed(&project, &["status", "-v", "run/wine-quality"]);
    assert!(why.contains("missing: not made yet"), "{why}");
    assert_eq!(project.noregret(&["-q", "-v", "list"]).status, 2);
}

#[test]
fn colours_are_asked_for_or_left_out() {
    let project = Small::new();
    let told = |arguments: &[&str]| ends(&project, 2, arguments).stderr;
    assert!(!told(&["run", "nope"]).contains('\u{1b}'), "no colours where there is no terminal");
    assert!(told(&["--color=always", "run", "nope"]).starts_with("\u{1b}[1m\u{1b}[31merror:"));
    assert!(told(&["run", "--nope", "--color", "always"]).contains('\u{1b}'));
    assert!(!told(&["run", "--nope", "--color", "never"]).contains('\u{1b}'));
    assert!(told(&["--color=pink", "list"]).contains("auto, always, never"));
}

#[test]
fn a_command_can_start_in_another_folder() {
    let project = Small::new();
    project.write("x.csv", "a,y\n1,2\n");
    let folder = project.path().to_str().unwrap().to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| project.command(arguments).current_dir(elsewhere.path()).output().unwrap();
    let listed = run(&["-C", &folder, "list", "experiments"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("spline-regret"));
    // Relative paths start there.
    let stream = ["-C", &folder, "stream", "--learner", "running-mean", "--input", "x.csv", "--target", "y"];
    assert_eq!(run(&stream).status.code(), Some(0));
    assert_eq!(run(&["list", "experiments"]).status.code(), Some(2));
}
