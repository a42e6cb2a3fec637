//! Experiments against an adversary, with inputs known beforehand, and with mixtures over grids.

use noregret_report::analysis::curve::along_rounds;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::record::ExperimentResults;
use noregret_report::trace::gauge::STORED_POINTS;
use noregret_report::trace::read;

use super::project::Small;

const GAME: &str = r#"
title = "Game"
replicates = 2
horizons = [25]
dense = true
[stream]
law = "greedy-adversary"
dim = 2
[[learners]]
name = "kernel-awv"
label = "AWV"
[[learners]]
name = "fogd"
label = "FOGD"
features = 20
"#;

const KNOWN: &str = r#"
title = "Known"
replicates = 1
horizons = [200]
[stream]
law = "periodic-spline"
[[learners]]
name = "pkawv-nystrom"
label = "{dictionary}"
mu = 0.1
dictionary = ["sequential", "beforehand"]
[[learners]]
name = "pkawv-nystrom"
label = "one {lambda}"
mu = 0.1
lambda = [0.01, 0.5]
[[learners]]
name = "expert-mixture"
label = "mixture"
base = { name = "pkawv-nystrom", mu = 0.1 }
grid = { lambda = [0.01, 0.5] }
bound = 1
"#;

fn results(project: &Small, name: &str) -> ExperimentResults {
    let ended = project.noregret(&["run", &format!("summarise/{name}"), "--offline"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let table = |folder: &str| {
        let path = project.path().join(format!("results/{folder}/{name}.parquet"));
        std::fs::read(path).unwrap()
    };
    let (runs, traces) = (read::runs("runs", table("runs")).unwrap(), read::traces("traces", table("traces")).unwrap());
    ExperimentResults::new(name, &runs, &traces, None).unwrap()
}

/// Runs against an adversary carry the loss of their comparator.
#[test]
fn a_game_carries_its_comparator() {
    let project = Small::new();
    project.write("pipeline/experiments/game.toml", GAME);
    let experiment = results(&project, "game");
    let curves = along_rounds(&experiment, &RunQuantity::Regret.into());
    assert_eq!(curves.len(), 2);
    for curve in &curves {
        assert_eq!(curve.points.len(), 25, "{}", curve.label);
        assert!(curve.last().unwrap().estimate.mean > 1.0, "{}", curve.label);
    }
    for run in &experiment.runs {
        let last = experiment.checkpoints[&run.run_id].last().unwrap();
        assert!(last.comparator_loss.is_some() && last.comparator_loss == run.comparator_loss, "{}", run.label);
    }
    // A separate comparator would be solved on rounds that were never played.
    project.write("pipeline/experiments/game.toml", &format!("{GAME}[comparator]\nname = \"penalised\"\n"));
    let refused = project.noregret(&["run", "summarise/game", "--offline"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("carry their comparators"), "{}", refused.stderr);
}

#[test]
fn inputs_known_beforehand_and_mixtures() {
    let project = Small::new();
    project.write("pipeline/experiments/known.toml", KNOWN);
    let experiment = results(&project, "known");
    let run = |label: &str| experiment.runs.iter().find(|run| run.label == label).unwrap();
    // The same uniforms decide about the same points, whether the points come one by one or all at once.
    assert_ne!(run("sequential").cumulative_loss, run("beforehand").cumulative_loss);
    let [sequential, beforehand] =
        ["sequential", "beforehand"].map(|label| run(label).gauges.count(STORED_POINTS).unwrap());
    assert!(beforehand > 0 && beforehand.abs_diff(sequential) <= 5 + sequential / 2, "{sequential} {beforehand}");
    let loss = |label: &str| run(label).cumulative_loss.unwrap();
    let best = loss("one 0.01").min(loss("one 0.5"));
    // The experts in the mixture have other draws of their dictionaries than alone, so a tenth of the loss is allowed.
    assert!(loss("mixture") <= 1.1 * best + 8.0 * 2f64.ln(), "{} {best}", loss("mixture"));

    // Two labels for the same runs are refused.
    project.write("pipeline/experiments/known.toml", &KNOWN.replace("0.5]\n[[learners]]", "1]\n[[learners]]"));
    let refused = project.noregret(&["run", "summarise/known", "--offline"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("`sequential` and `one 1` are the same runs"), "{}", refused.stderr);
    project.write("pipeline/experiments/known.toml", KNOWN);

    let game = GAME.replace("kernel-awv", "pkawv-nystrom").replace("label = \"AWV\"", "dictionary = \"beforehand\"");
    project.write("pipeline/experiments/game.toml", &game);
    let refused = project.noregret(&["run", "summarise/game", "--offline"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("all inputs before the first round"), "{}", refused.stderr);
}
