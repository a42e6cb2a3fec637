//! Learners in processes of their own, through the binary. The processes are in Python; where there is none, the tests
//! say that they are skipped.

mod absent;
mod book;
mod cheats;
mod check;
mod kills;
mod naughty;

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::pipeline::project::{Small, read};

/// Whether Python is there, with a module if one is named.
pub(crate) fn python(module: Option<&str>) -> bool {
    let mut command = Command::new("python3");
    command.args(["-c", &format!("import {}", module.unwrap_or("json"))]).stderr(std::process::Stdio::null());
    let found = command.status().is_ok_and(|status| status.success());
    if !found {
        let what = module.map_or("Python".to_owned(), |module| format!("Python with {module}"));
        let _ = writeln!(std::io::stderr(), "skipped a test of external learners: there is no {what}");
    }
    found
}

/// A project with the learner of naughty.py, which plays in the experiment `naughty` with each of these modes. `token`
/// is an argument by which its processes are known.
fn project(modes: &[&str], horizon: u32, token: &str) -> Small {
    let project = Small::new();
    project.write("learners/naughty.py", include_str!("naughty.py"));
    project.write(
        "pipeline/learners/naughty.toml",
        &format!(
            "summary = 'The mean of the targets'\nversion = '1'\n\
             command = ['python3', 'learners/naughty.py', '{token}']\nfiles = ['learners/naughty.py']\n\
             [[parameters]]\nname = 'mode'\ndoc = 'What it does wrong.'\nkind = 'choice'\ndefault = 'sound'\n\
             words = ['sound', 'slow', 'early', 'twice', 'never', 'nan', 'garbage', 'flood', 'exit',\
             'moody', 'vain', 'blocks', 'peeks', 'ahead']\n"
        ),
    );
    let learner = |mode: &&str| format!("[[learners]]\nname = 'naughty'\nlabel = '{mode}'\nmode = '{mode}'\n");
    let learners: String = modes.iter().map(learner).collect();
    project.write(
        "pipeline/experiments/naughty.toml",
        &format!(
            "title = 'Naughty'\nreplicates = 2\nhorizons = [{horizon}]\n[stream]\nlaw = 'uniform-inputs'\ndim = 2\n\
             {learners}[[learners]]\nname = 'running-mean'\nlabel = 'own'\n"
        ),
    );
    project
}

/// The columns of the runs of the experiment, sorted.
fn runs(project: &Small, columns: &str) -> Vec<Vec<String>> {
    let ended = project.noregret(&["query", "runs/naughty", "-c", columns, "--format", "csv"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let mut reader = csv::Reader::from_reader(ended.stdout.as_bytes());
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    rows.sort();
    rows
}

/// The processes whose command line has the token.
pub(crate) fn processes(token: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let has = |folder: &Path| {
        let words = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == token.as_bytes())
    };
    entries.filter(|entry| has(&entry.path())).filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// A sound process plays as the learner of this program does; its runs are cached, and its bytes identify it.
#[test]
fn a_declared_learner_is_a_learner_like_any_other() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 300, "like-any-other");
    let target = "summarise/naughty";
    project.run(&[target, "-j", "2"]);
    let rows = runs(&project, "label,replicate,cumulative_loss,stored_points,status");
    assert_eq!(rows.len(), 4, "{rows:?}");
    for replicate in 0..2 {
        let loss = |at: usize| rows[at][2].parse::<f64>().unwrap();
        let (own, sound) = (loss(replicate), loss(2 + replicate));
        assert!((own - sound).abs() <= 1e-9 * own, "{rows:?}");
    }
    // Gauges come from the process, which is asked at the checkpoints.
    assert_eq!(rows[2][3..], ["300", "done"], "{rows:?}");
    assert_eq!(project.planned(&[target]), "");
    let logged = project.files(&["results/log"]).iter().map(|file| read(file)).collect::<String>();
    assert!(logged.contains("\"cpu_seconds\":") && logged.contains("\"stored_points\":300"), "{logged}");
    // The learner's time is that of the process from its first answer on, too, before which it spends 50 ms. The time of
    // its group is known to 10 ms, and that of a thread at work may be late by as much.
    for line in logged.lines().filter(|line| line.contains("\"cpu_seconds\":")) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let process = &line["measurements"]["processes"][0];
        let [all, start] = ["cpu_seconds", "start_seconds"].map(|key| process[key].as_f64().unwrap());
        let last = line["measurements"]["times"].as_array().unwrap().last().unwrap()["cpu_ns"].as_f64().unwrap();
        assert!(all >= 0.03 && start >= 0.03 && last > 0.0, "{line}");
    }
    // Another byte is another learner; the one of this program stays.
    project.edit("learners/naughty.py", "The mean", "A mean");
    let plan = project.planned(&[target]);
    assert_eq!(plan.lines().filter(|line| line.contains("replicate")).count(), 2, "{plan}");
    assert!(!plan.contains("own on"), "{plan}");
    project.run(&[target]);
    assert_eq!(runs(&project, "label,replicate,cumulative_loss,stored_points,status"), rows, "draws stay");
    // What names no files is never cached, and says so.
    project.edit("pipeline/learners/naughty.toml", "files = ['learners/naughty.py']\n", "");
    let whole = project.path().join("learners/naughty.py").display().to_string();
    project.edit("pipeline/learners/naughty.toml", "'learners/naughty.py'", &format!("'{whole}'"));
    for _ in 0..2 {
        let ended = project.run(&[target]);
        assert!(ended.stderr.contains("the runs of naughty are never cached"), "{}", ended.stderr);
        assert!(ended.stderr.contains("2 made") || ended.stderr.contains("3 made"), "{}", ended.stderr);
    }
    assert!(processes("like-any-other").is_empty());
}

/// Other commands know it: `list`, `describe`, `stream`; its parameters are checked; another command is unavailable.
#[test]
fn commands_know_declared_learners() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 50, "known");
    let said = |arguments: &[&str], status: i32| {
        let ended = project.noregret(arguments);
        assert_eq!(ended.status, status, "{arguments:?}: {}", ended.stderr);
        ended.stdout + &ended.stderr
    };
    assert!(said(&["list", "learners"], 0).contains("The mean of the targets (of this project)"));
    let described = said(&["describe", "naughty"], 0);
    assert!(described.contains("mode [sound]: What it does wrong.") && !described.contains("program ["), "{described}");
    let rows: String = (0..100).map(|t| format!("{},{}\n", f64::from(t % 7), f64::from(t % 5))).collect();
    project.write("data.csv", &format!("x,y\n{rows}"));
    let stream = |learner: &str, set: &str, status| {
        let mut arguments =
            vec!["stream", "--input", "data.csv", "--target", "y", "--learner", learner, "--output", "out.csv"];
        arguments.extend(if set.is_empty() { vec![] } else { vec!["--set", set] });
        let text = said(&arguments, status);
        (text, std::fs::read_to_string(project.path().join("out.csv")).unwrap_or_default())
    };
    let predictions = |text: &str| -> Vec<f64> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let at = reader.headers().unwrap().iter().position(|name| name == "prediction").unwrap();
        reader.records().map(|row| row.unwrap()[at].parse().unwrap()).collect()
    };
    let (own, theirs) = (stream("running-mean", "", 0).1, stream("naughty", "", 0).1);
    let (own, theirs) = (predictions(&own), predictions(&theirs));
    assert_eq!(own.len(), 100);
    assert!(own.iter().zip(&theirs).all(|(a, b)| (a - b).abs() <= 1e-9), "{own:?} {theirs:?}");
    assert!(stream("naughty", "mode=rude", 2).0.contains("\"sound\""));
    assert!(stream("naughy", "", 2).0.contains("did you mean `naughty`"));
    let ended = stream("naughty", "mode=exit", 1).0;
    assert!(ended.contains("ended with status 3") && ended.contains("out of paper"), "{ended}");
    assert!(ended.contains("(10 rounds before") && !ended.contains("diverged"), "{ended}");
    let twice = stream("naughty", "mode=twice", 1).0;
    assert!(twice.contains("naughty: "), "{twice}");
    let unknown = stream("naughty", "mod=sound", 2).0;
    assert!(unknown.contains("did you mean `mode`") && unknown.ends_with("known parameters: mode\n"), "{unknown}");
    for (given, meant) in
        [("naughty.naughty.mod=sound", "naughty.mode"), ("naughy.mode=sound", "naughty.mode"), ("mod=sound", "mode")]
    {
        let told = said(&["run", "-n", "run/naughty", given], 2);
        assert!(told.contains(&format!("did you mean `{meant}`?")) && !told.contains("program"), "{told}");
    }
    project.edit("pipeline/learners/naughty.toml", "'python3'", "'no-such-python'");
    let told = said(&["run", "--offline", "run/naughty"], 0);
    assert!(told.contains("unavailable") && told.contains("no-such-python") && told.contains("remedy"), "{told}");
    // Without its learner there is no summary, which is the same when it is asked for again.
    for _ in 0..2 {
        let told = said(&["run", "--offline", "summarise/naughty"], 0);
        assert!(
            told.contains("unavailable") && told.contains("summarise/naughty") && !told.contains("failed"),
            "{told}"
        );
    }
    assert!(!project.path().join("results/runs/naughty.parquet").exists());
    // A command that is a path is one of the project.
    project.edit("pipeline/learners/naughty.toml", "'no-such-python'", "'env/bin/python'");
    assert!(said(&["run", "-n", "run/naughty"], 0).contains("needs `env/bin/python`"));
    project.write("env/bin/python", "#!/bin/sh\nexec python3 \"$@\"\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.path().join("env/bin/python"), executable).unwrap();
    project.run(&["summarise/naughty"]);
    assert_eq!(runs(&project, "label,status").iter().filter(|row| row[1] == "done").count(), 4);
    project.write("pipeline/learners/naughty.toml", "summary = 1");
    assert!(said(&["run", "-n", "summarise/naughty"], 2).contains("naughty.toml"));
    assert!(said(&["list", "learners"], 0).contains("cannot be used"));
    // It is read where the learner is meant, as a part of another one, too.
    for (learner, set) in [("naughty", ""), ("intervals", "base.name=naughty")] {
        let told = stream(learner, set, 2).0;
        assert!(told.contains("naughty.toml") && !told.contains("unknown"), "{told}");
    }
    assert_eq!(stream("running-mean", "", 0).0.lines().count(), 1);
}

/// A learner's file enters it into experiments, with values and labels of its own; a name that is nearly that of an
/// experiment is refused, and so is the entry of a learner whose file is wrong.
#[test]
fn a_file_enters_its_learner_into_experiments() {
    if !python(None) {
        return;
    }
    let project = project(&["sound"], 50, "entered");
    let declaration = "pipeline/learners/naughty.toml";
    let file = read(&project.path().join(declaration));
    let plays =
        "[[plays]]\nexperiments = ['elsewhere', 'naughty']\nlabel = 'entered {mode}'\nmode = ['vain', 'moody']\n";
    project.write(declaration, &format!("{file}{plays}"));
    let plan = || project.noregret(&["run", "-n", "summarise/naughty", "-v"]);
    let planned = plan();
    for label in ["sound on", "own on", "entered vain on", "entered moody on"] {
        assert_eq!(planned.stdout.matches(label).count(), 2, "{label}: {}{}", planned.stdout, planned.stderr);
    }
    let refused = |text: String, said: &str| {
        project.write(declaration, &text);
        let ended = plan();
        assert!(ended.status != 0 && ended.stderr.contains(said), "{said}: {}", ended.stderr);
    };
    refused(format!("{file}{}", plays.replace("'naughty'", "'nauhgty'")), "did you mean `naughty`?");
    refused(format!("{file}{}", plays.replace("'moody'", "'cross'")), "plays[0] of pipeline/learners/naughty.toml");
    refused(format!("{}{plays}", file.replace("version = '1'", "version = 1")), "version");
    project.write(declaration, &file);
    assert!(!plan().stdout.contains("entered"));
}
