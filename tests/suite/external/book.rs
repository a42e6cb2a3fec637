//! The examples of the book: docs/src/protocol.md.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::python;
use crate::docs::pages::{blocks, text};
use crate::pipeline::project::{Small, read};

/// A project with the files of the page.
fn project() -> Small {
    let project = Small::new();
    for block in blocks(&text("docs/src/protocol.md")) {
        let name = block.code.lines().next().and_then(|line| line.split([' ', ',']).nth(1));
        if let Some(name) = name
            .filter(|name| name.contains("learners/") && !name.contains(' ') && Path::new(name).extension().is_some())
        {
            project.write(name, &block.code);
        }
    }
    project
}

/// The predictions of a learner for casp-like rows as they are, which is the default of a declared learner.
fn predictions(project: &Small, learner: &str, set: &[&str]) -> Vec<f64> {
    let mut arguments =
        vec!["stream", "--input", "data.csv", "--target", "y", "--learner", learner, "--output", "out.csv"];
    if learner == "pkrr-taylor" {
        arguments.extend(["--scale", "none", "--target-scale", "none"]);
    }
    arguments.extend(set.iter().flat_map(|set| ["--set", set]));
    let ended = project.noregret(&arguments);
    assert_eq!(ended.status, 0, "{learner}: {}", ended.stderr);
    let out = read(&project.path().join("out.csv"));
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let at = reader.headers().unwrap().iter().position(|name| name == "prediction").unwrap();
    reader.records().map(|row| row.unwrap()[at].parse().unwrap()).collect()
}

fn data(project: &Small) {
    let rows = (0..400_u32).map(|t| {
        let [a, b, c] = [t * 37 % 101, t * 53 % 97, t * 71 % 89].map(|x| f64::from(x) / 50.0 - 1.0);
        format!("{a},{b},{c},{}\n", (3.0 * a).sin() + b * c)
    });
    project.write("data.csv", &format!("a,b,c,y\n{}", rows.collect::<String>()));
}

/// The example in numpy is `pkrr-taylor`.
#[test]
fn a_learner_in_numpy_predicts_as_the_same_one_of_this_program() {
    if !python(Some("numpy")) {
        return;
    }
    let project = project();
    data(&project);
    let set = ["lambda=0.5", "bandwidth=0.75", "order=3"];
    let [own, theirs] = ["pkrr-taylor", "numpy-taylor"].map(|learner| predictions(&project, learner, &set));
    assert_eq!((own.len(), theirs.len()), (400, 400));
    let far = own.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(far <= 1e-9, "{far}");
    // Beside each other in an experiment: the same curve.
    let learner = |name: &str| format!("[[learners]]\nname = '{name}'\nlabel = '{name}'\nlambda = 0.5\norder = 3\n");
    let head = "title = 'Both'\nreplicates = 2\nhorizons = [300]\n[stream]\nlaw = 'uniform-inputs'\ndim = 3\n";
    let both = ["pkrr-taylor", "numpy-taylor"].map(learner).concat();
    project.write("pipeline/experiments/both.toml", &format!("{head}{both}"));
    project.run(&["summarise/both"]);
    let ended = project.noregret(&["query", "runs/both", "-c", "label,cumulative_loss,features", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(ended.stdout.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let of = |label: &str| -> Vec<(f64, String)> {
        let rows = rows.iter().filter(|row| &row[0] == label);
        rows.map(|row| (row[1].parse().unwrap(), row[2].to_owned())).collect()
    };
    let (own, theirs) = (of("pkrr-taylor"), of("numpy-taylor"));
    assert_eq!(own.len(), 2, "{rows:?}");
    for ((a, features), (b, others)) in own.iter().zip(&theirs) {
        assert!((a - b).abs() <= 1e-9 * a && features == others, "{rows:?}");
    }
}

/// Whether a command succeeds; if not, a word about what is skipped without it.
fn there(what: &str, command: &mut Command) -> bool {
    let found = command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !found {
        let _ = writeln!(std::io::stderr(), "skipped the learner in another language: there is no {what}");
    }
    found
}

/// The example in another language, started by `command` (in TOML) with `file`, predicts as the one in Python does.
fn predicts_as_in_python(project: &Small, command: &str, file: &str) {
    data(project);
    let theirs = predictions(project, "linear-sgd", &["rate=0.5"]);
    project.edit(
        "pipeline/learners/linear-sgd.toml",
        "command = [\"python3\", \"learners/linear-sgd.py\"]\nfiles = [\"learners/linear-sgd.py\"]",
        &format!("command = {command}\nfiles = ['{file}']"),
    );
    let own = predictions(project, "linear-sgd", &["rate=0.5"]);
    let far = own.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(own.len() == 400 && far <= 1e-12, "{far}");
}

/// In C, with numbers of 64 bits.
#[test]
fn a_learner_in_c_predicts_as_the_same_one_in_python() {
    let project = project();
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-o", "learners/linear-sgd", "learners/linear-sgd.c"]).current_dir(project.path());
    if python(None) && there("C compiler", &mut compiler) {
        predicts_as_in_python(&project, "['learners/linear-sgd']", "learners/linear-sgd");
    }
}

#[test]
fn a_learner_in_r_predicts_as_the_same_one_in_python() {
    let mut r = Command::new("Rscript");
    if python(None) && there("R with jsonlite", r.args(["-e", "library(jsonlite)"])) {
        predicts_as_in_python(&project(), "['Rscript', 'learners/linear-sgd.R']", "learners/linear-sgd.R");
    }
}

#[test]
fn a_learner_in_julia_predicts_as_the_same_one_in_python() {
    let mut julia = Command::new("julia");
    if python(None) && there("Julia with JSON", julia.args(["-e", "using JSON"])) {
        predicts_as_in_python(&project(), "['julia', 'learners/linear-sgd.jl']", "learners/linear-sgd.jl");
    }
}
