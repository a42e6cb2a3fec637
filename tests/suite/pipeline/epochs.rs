//! Experiments on causal scales: those of `noregret stream`, and no result that knows a later row.

use std::fmt::Write as _;

use serde_json::Value;

use super::project::Small;

const OWN: &str = r#"
title = "Own"
replicates = 1
horizons = [100, 240]
[stream]
dataset = "own"
order = "file"
scale = "epochs"
target = "epochs"
[[learners]]
name = "kernel-awv"
label = "AWV"
lambda = 0.3
kernel = { name = "gaussian", bandwidth = 2 }
[[learners]]
name = "constant"
label = "constant"
value = 5000
[[learners]]
name = "auto"
label = "auto"
members = "linear"
"#;

/// Rows of two quantities on scales of their own, and a word; those from `changed` on are other ones.
fn rows(changed: usize) -> String {
    let mut text = "x,size,kind,y\n".to_owned();
    for i in 0..240 {
        let (t, far) = (i as f64, if i < changed { 1.0 } else { 1e5 });
        let (x, size) = (far * (0.7 * t).sin(), far * 3e4 * (1.3 * t).cos());
        let kind = ["red", "green", "blue"][i / 2 % 3];
        writeln!(text, "{x},{size},{kind},{}", 5e3 + 800.0 * x - 1e-2 * size + 100.0 * (i % 3) as f64).unwrap();
    }
    text
}

/// A project with the rows as the dataset `own`.
fn project(changed: usize) -> Small {
    let project = Small::new();
    project.write("own.csv", &rows(changed));
    let added = project.noregret(&["data", "add", "own.csv", "--name", "own", "--target", "y"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    // How many columns a word becomes counts for auto, and `stream` leaves room for further words.
    let added = project.noregret(&["data", "add", "own.csv", "--name", "two", "--target", "y", "--inputs", "x,size"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    project
}

/// The average losses of a learner at the horizons, as the runs table has them.
fn losses(project: &Small, experiment: &str, label: &str) -> Vec<f64> {
    project.write("pipeline/experiments/own.toml", experiment);
    project.run(&["summarise/own"]);
    let told = project.noregret(&["query", "runs/own", "--json", "-s", "horizon", "-w", &format!("label={label}")]);
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap()["average_loss"].as_f64().unwrap();
    told.stdout.lines().map(read).collect()
}

/// The loss of `stream` on the file is that of the experiment: whole targets, scaled columns, centred categories.
#[test]
fn losses_are_those_of_stream() {
    let project = project(240);
    let learners: [(&str, &str, &[&str]); 3] = [
        ("own", "AWV", &["kernel-awv", "--set", "lambda=0.3", "--set", "kernel={name=\"gaussian\",bandwidth=2}"]),
        ("own", "constant", &["constant", "--set", "value=5000"]),
        ("two", "auto", &["auto", "--set", "members=linear", "--inputs", "x,size"]),
    ];
    for (dataset, label, options) in learners {
        let found = losses(&project, &OWN.replace("\"own\"", &format!("\"{dataset}\"")), label);
        let stream = [&["stream", "own.csv", "--target", "y", "--quiet", "--learner"][..], options].concat();
        let rows = project.noregret(&stream);
        let so_far = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
        let all: Vec<f64> = rows.stdout.lines().skip(1).map(so_far).collect();
        assert_eq!(all.len(), 240, "{label}: {}", rows.stderr);
        for (horizon, found) in [100, 240].into_iter().zip(found) {
            let expected = all[horizon - 1] / horizon as f64;
            assert!((found - expected).abs() <= 1e-9 * expected, "{label}, {horizon}: {found}, {expected}");
        }
    }
}

/// Rows from 100 on change no loss up to there, but with scales of the whole file they do.
#[test]
fn later_rows_change_nothing_before_them() {
    let (one, other) = (project(240), project(100));
    for (scale, target, same) in [("epochs", "epochs", true), ("unit", "none", false), ("none", "unit", false)] {
        let text = OWN.replace("scale = \"epochs\"", &format!("scale = \"{scale}\""));
        let text = text.replace("target = \"epochs\"", &format!("target = \"{target}\""));
        let [one, other] = [&one, &other].map(|project| losses(project, &text, "AWV"));
        assert_eq!(one[0] == other[0], same, "{scale}, {target}");
        assert_ne!(one[1], other[1], "{scale}, {target}");
    }
}

#[test]
fn what_has_no_epochs_is_refused() {
    let project = project(240);
    let noise = "[stream.noise]\ninputs = { name = \"gaussian\", noise_std = 0.1 }\n[[learners]]";
    let comparator = "[comparator]\nname = \"penalised\"\n[[learners]]";
    let foresees = "[[learners]]\nname = \"kernel-ridge-low-rank\"\nlabel = \"s\"\n[[learners]]";
    for (from, to, expected) in [
        ("[[learners]]", noise, "made of the rows, which nobody sees behind noise"),
        ("[[learners]]", comparator, "learners over epochs have another scale"),
        ("[[learners]]", foresees, "needs all inputs before the first round"),
        ("target = \"epochs\"", "target = \"running\"", "`epochs`"),
        ("order = \"file\"\nscale = \"epochs\"", "scale = \"running\"", "\"epochs\" follows any order"),
    ] {
        project.write("pipeline/experiments/own.toml", &OWN.replacen(from, to, 1));
        let ended = project.noregret(&["run", "-n", "run/own", "--offline"]);
        assert_eq!(ended.status, 2, "{to}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{expected}: {}", ended.stderr);
    }
}
