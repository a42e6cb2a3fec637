//! `noregret check-learner`: the laws from outside. Blocks and noisy copies, which a process may offer to play.

use std::process::Command;

use super::{processes, project, python, runs};
use crate::pipeline::project::{Ended, Small, read};

/// What the command prints for a mode, and its exit status.
fn checked(project: &Small, mode: &str) -> (String, i32) {
    let ended = project.noregret(&["check-learner", "naughty", "--set", &format!("mode={mode}")]);
    (ended.stdout + &ended.stderr, ended.status)
}

#[test]
fn laws_are_played_from_outside() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 50, "checked");
    let (said, status) = checked(&project, "sound");
    assert_eq!((status, said.matches("holds").count()), (0, 6), "{said}");
    let (said, status) = checked(&project, "moody");
    assert!(status == 1 && said.contains("broken  the same draws give the same bits"), "{said}");
    let (said, status) = checked(&project, "vain");
    assert!(status == 1 && said.contains("broken  being asked for a prediction teaches nothing"), "{said}");
    let (said, status) = checked(&project, "exit");
    assert!(status == 1 && said.contains("fails   plain rounds") && said.contains("status 3"), "{said}");
    let own = project.noregret(&["check-learner", "pkrr-taylor"]);
    assert_eq!((own.status, own.stdout.matches("holds").count()), (0, 6), "{}", own.stdout);
    let unknown = project.noregret(&["check-learner", "naughy"]);
    assert!(unknown.status == 2 && unknown.stderr.contains("did you mean `naughty`"), "{}", unknown.stderr);
}

/// Classes are their numbers, to a process that is told how many there are and to learners of this program.
#[test]
fn laws_are_played_with_classes() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 50, "classes");
    project.edit("learners/naughty.py", "mode, total", "assert hello[\"classes\"] == 3\nmode, total");
    project.edit(
        "learners/naughty.py",
        "    if \"x\" in",
        "    assert message.get(\"y\", 0) in (0, 1, 2)\n    if \"x\" in",
    );
    let checked = |learner: &str, more: &[&str]| {
        let ended = project.noregret(&[&["check-learner", learner], more].concat());
        (ended.stdout + &ended.stderr, ended.status)
    };
    for learner in ["naughty", "linear-ridge", "aioli-fourier"] {
        let (said, status) = checked(learner, &["--classes", "3"]);
        assert_eq!((status, said.matches("holds").count()), (0, 6), "{learner}: {said}");
    }
    let (said, status) = checked("naughty", &[]);
    assert!(status == 1 && said.contains("fails   plain rounds"), "{said}");
    let (said, status) = checked("aioli-fourier", &[]);
    assert!(status == 2 && said.contains("plays no plain rounds"), "{said}");
    let (said, status) = checked("naughty", &["--classes", "1"]);
    assert!(status == 2 && said.contains("--classes"), "{said}");
}

/// `make laws` of the bench: a line for each entry of each declared learner.
#[test]
fn laws_are_played_against_all_that_is_declared() {
    if !python(Some("tomllib")) {
        return;
    }
    let project = project(&["sound"], 50, "all");
    let declared = read(&project.path().join("pipeline/learners/naughty.toml"));
    let entry = |label: &str, modes: &str, experiment: &str| {
        format!("[[plays]]\nexperiments = ['{experiment}']\nlabel = '{label}'\nmode = {modes}\n")
    };
    let entries = entry("good", "'sound'", "no-classes") + &entry("bad", "['moody', 'sound']", "numbers");
    project.write("pipeline/learners/naughty.toml", &(declared.clone() + &entries));
    project.write("pipeline/learners/absent.toml", &declared.replace("python3", "target/none/bin/python"));
    project.write("peers/laws.py", include_str!("../../../peers/laws.py"));
    let laws = |names: &[&str]| -> Ended {
        let mut command = Command::new("python3");
        command.args(["-B", "peers/laws.py"]).args(names).current_dir(project.path()).env("JOBS", "2");
        command.env("NOREGRET", env!("CARGO_BIN_EXE_noregret")).output().unwrap().into()
    };
    let ended = laws(&[]);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[..2], ["left out  absent: target/none/bin/python is not here", "holds     naughty (good)"]);
    assert_eq!(lines[2], "BROKEN    naughty (bad): check-learner naughty --set mode=moody");
    assert!(lines[3..].iter().all(|line| line.starts_with("    broken  ")) && lines.len() > 4, "{lines:?}");
    assert_eq!((ended.status, ended.stderr.trim()), (1, "the laws are broken by naughty (bad)"));
    assert_eq!(laws(&["absent"]).status, 0);
    let unknown = laws(&["naughy"]);
    assert!(unknown.status == 1 && unknown.stderr.contains("no file declares naughy"), "{}", unknown.stderr);
    project.write("pipeline/learners/absent.toml", "summary = ");
    let wrong = laws(&["absent"]);
    assert!(wrong.status == 1 && wrong.stderr.starts_with("pipeline/learners/absent.toml: "), "{}", wrong.stderr);
}

/// Declared learners of the folder that `compare` writes to take part, with the values of `--grid`.
#[test]
fn a_declared_learner_takes_part_in_compare() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 50, "compared");
    let rows: String = (0..200).map(|t| format!("{},{}\n", f64::from(t % 7), f64::from(t % 5))).collect();
    project.write("data.csv", &format!("x,y\n{rows}"));
    let mut arguments = vec!["compare", "data.csv", "--target", "y", "--output", ".", "--budget", "1h"];
    arguments.extend(["--learners", "naughty", "--grid", "naughty.mode=sound,slow", "--replicates", "1"]);
    let ended = project.noregret(&arguments);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let line = ended.stdout.lines().find(|line| line.contains("naughty")).unwrap_or_default();
    assert!(line.contains("mode = "), "{}", ended.stdout);
    // It takes part elsewhere, too, where it is named: the project around declares it, and that of `compare` does not.
    let elsewhere = |learners: &str| {
        let words =
            ["compare", "data.csv", "--target", "y", "--budget", "1h", "--replicates", "1", "--learners", learners];
        let ended = project.noregret(&words);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        ended.stdout
    };
    assert!(!elsewhere("linear-ogd").contains("naughty"));
    assert!(elsewhere("naughty").contains("naughty"));
    assert!(!read(&project.path().join("data-y-compare/pipeline/experiments/data.toml")).contains("naughty"));
    assert!(processes("compared").is_empty());
}

/// Blocks are faster, and relied on only where they agree with single rounds.
#[test]
fn blocks_are_played_where_they_agree() {
    if !python(None) {
        return;
    }
    let project = project(&["sound", "blocks"], 300, "blocks");
    project.run(&["summarise/naughty"]);
    let rows = runs(&project, "label,replicate,cumulative_loss,status");
    for replicate in 0..2 {
        let loss = |at: usize| rows[at][2].parse::<f64>().unwrap();
        assert!((loss(replicate) - loss(2 + replicate)).abs() <= 1e-9 * loss(replicate), "{rows:?}");
    }
    let (said, status) = checked(&project, "blocks");
    assert_eq!(status, 0, "{said}");
    let (said, status) = checked(&project, "peeks");
    assert!(status == 1 && said.contains("in a block, so it cannot offer blocks"), "{said}");
}

/// A learner made for noise asks for copies, and the program counts them.
#[test]
fn a_process_made_for_noise_asks_for_copies() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 50, "noisy");
    project.write(
        "learners/noisy.py",
        r#"
import json, sys
def say(answer):
    print(json.dumps(answer), flush=True)
hello, mean, count = json.loads(sys.stdin.readline()), 0.0, 0
say({"name": "asks", "version": "1"})
for line in sys.stdin:
    message = json.loads(line)
    if "x" in message:
        say(mean)
    if "learn" in message:
        say({"ask": 2})
    if "copies" in message:
        assert len(message["copies"]) == 2 and len(message["copies"][0]) == hello["dim"]
        count += 1
        mean += (message["target"] - mean) / count
        say({})
    if "echo" in message:
        say(message["echo"])
    if "end" in message:
        say({})
"#,
    );
    project.write(
        "pipeline/learners/asks.toml",
        "summary = 'asks'\nversion = '1'\nnoisy = true\ncommand = ['python3', 'learners/noisy.py']\n\
         files = ['learners/noisy.py']\n",
    );
    let noise = "{ name = 'gaussian', noise_std = 0.5 }";
    project.write(
        "pipeline/experiments/naughty.toml",
        &format!(
            "title = 'Noise'\nreplicates = 1\nhorizons = [100]\n[stream]\nlaw = 'uniform-inputs'\ndim = 2\n\
             noise = {{ inputs = {noise}, targets = {noise} }}\n[[learners]]\nname = 'asks'\nlabel = 'asks'\n\
             [[learners]]\nname = 'noisy-linear-two-copy'\nlabel = 'two'\neta = 0.01\n\
             [[learners]]\nname = 'naughty'\nlabel = 'copies'\ncopies = 1\n\
             [[learners]]\nname = 'running-mean'\nlabel = 'mean'\ncopies = 1\n"
        ),
    );
    project.run(&["summarise/naughty"]);
    let rows = runs(&project, "label,queries,cumulative_loss,status");
    let of = |label: &str| rows.iter().find(|row| row[0] == label).unwrap().clone();
    assert_eq!(of("asks")[1], of("two")[1], "{rows:?}");
    assert_eq!(of("copies")[1], of("mean")[1], "{rows:?}");
    let loss = |label: &str| of(label)[2].parse::<f64>().unwrap();
    for other in ["asks", "copies"] {
        assert!((loss(other) - loss("mean")).abs() <= 1e-9 * loss("mean"), "{rows:?}");
    }
}
