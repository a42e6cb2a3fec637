//! The commands in README.md work: on this repository's pipeline, where they are planned, and on a small project, where
//! they are carried out.

use std::path::Path;

use super::ends;
use crate::pipeline::project::{SPLINE_RATE, Small, WINE, WINE_LOSS, read};

/// The commands of the program in the blocks of shell code of README.md, as words.
fn commands() -> Vec<Vec<String>> {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let blocks = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let joined: Vec<String> = blocks.map(|block| block.replace("\\\n", " ")).collect();
    let lines = joined.iter().flat_map(|block| block.lines()).filter(|line| line.starts_with("noregret "));
    lines.map(|line| words(line.split(" #").next().unwrap())).collect()
}

/// The words of a command line after the program: quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.trim().chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words.split_off(1)
}

fn run(project: &Small, command: &[String], more: &[&str]) {
    let command: Vec<&str> = command.iter().map(String::as_str).chain(more.iter().copied()).collect();
    ends(project, 0, &command);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { assert!(std::fs::copy(&path, &target).is_ok()) }
    }
}

#[test]
fn the_commands_are_there() {
    let commands = commands();
    assert!(commands.len() > 18, "{commands:?}");
    assert!(commands.contains(&vec!["run".into(), "run/*".into(), "lambda=0.1".into()]), "{commands:?}");
}

/// Nothing is run, so that the pipeline with its millions of rounds can be used as it is.
#[test]
fn on_this_pipeline_every_command_that_plans_works() {
    let project = Small::new();
    std::fs::remove_dir_all(project.path().join("pipeline")).unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline"), &project.path().join("pipeline"));
    for command in commands() {
        match command[0].as_str() {
            "run" if command.iter().any(|word| word == "-n") => run(&project, &command, &["--offline"]),
            "run" => run(&project, &command, &["-n", "--offline"]),
            "submit" if command.iter().any(|word| word == "--print") => run(&project, &command, &[]),
            "submit" => run(&project, &command, &["--print"]),
            "status" | "explain" | "dag" | "list" | "describe" | "gc" | "verify" => run(&project, &command, &[]),
            // What is made first is tested below.
            _ => {}
        }
    }
    // Of docs/experiments.md.
    let overrides = ["casp.replicates=2", "stream.scale=none", "pkrr-taylor.order=[2,3]", "kernel.bandwidth=3/2"];
    ends(&project, 0, &[&["run", "-n", "--offline", "run/*"], &overrides[..]].concat());
    ends(&project, 0, &["run", "-n", "--offline", "--profile", "quick", "lambda=0.1"]);
}

#[test]
fn on_a_fresh_project_every_command_works() {
    let (project, before) = (Small::new(), tempfile::tempdir().unwrap());
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A small dataset and experiment that are called casp.
    let rows: String = (0..40).map(|row| format!("{},{}\n", f64::from(row % 7) / 7.0, f64::from(row % 5))).collect();
    project.write("data.csv", &format!("x,y\n{rows}"));
    project.write("my.csv", &format!("x,y\n{rows}"));
    ends(&project, 0, &["data", "add", "data.csv", "--name", "casp", "--target", "y"]);
    let casp = WINE.replace("wine-quality", "casp").replace("[300]", "[30]");
    project.write("pipeline/experiments/casp.toml", &casp);
    project.write("pipeline/figures/casp-loss.toml", &WINE_LOSS.replace("wine-quality", "casp"));
    project.write("pipeline/rates/spline.toml", SPLINE_RATE);
    for table in ["rates", "bounds", "costs"] {
        let name = format!("pipeline/tables/{table}.toml");
        project.write(&name, &read(&repository.join(&name)));
    }
    project.run(&[]);
    copy(project.path(), before.path());
    let errata = |words: &[String]| words.iter().any(|word| word.contains("errata"));
    for command in commands() {
        let command: Vec<String> =
            command.into_iter().map(|word| word.replace("../before", before.path().to_str().unwrap())).collect();
        match command[0].as_str() {
            // Nothing here is on a cluster, and the errata have a test of their own.
            "submit" => continue,
            "run" if errata(&command) => continue,
            "run" => run(&project, &command, &["--offline"]),
            _ => run(&project, &command, &[]),
        }
    }
}
