//! Experiments with corrupted targets.

use noregret_report::analysis::curve::along_horizons;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::record::ExperimentResults;
use noregret_report::trace::read;

use super::project::Small;

const CORRUPTED: &str = r#"
title = "Outliers"
replicates = 2
horizons = [300]
test_rows = 100
[stream]
dataset = "wine-quality"
scale = "unit"
target = "standardise"
label = "{corruption.share}"
[stream.corruption]
name = "contamination"
share = [0.0, 0.3]
sides = "one"
[[learners]]
name = "robust-ogd"
label = "{window}"
window = ["least-squares", "tukey"]
scale = 4
eta = 0.2
kernel = { name = "gaussian", bandwidth = 0.5 }
"#;

/// Outliers spoil what least squares learns, but not the clean rows of its test. Tukey's window rejects them.
#[test]
fn outliers_are_seen_by_learners_and_not_by_tests() {
    let project = Small::new();
    project.write("pipeline/experiments/corrupted.toml", CORRUPTED);
    let ended = project.noregret(&["run", "summarise/corrupted", "--offline"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let table =
        |folder: &str| std::fs::read(project.path().join(format!("results/{folder}/corrupted.parquet"))).unwrap();
    let (runs, traces) = (read::runs("runs", table("runs")).unwrap(), read::traces("traces", table("traces")).unwrap());
    let experiment = ExperimentResults::new("corrupted", &runs, &traces, None).unwrap();
    let value = |quantity: &RunQuantity, stream: &str, label: &str| {
        let curves = along_horizons(&experiment, &quantity.clone().into());
        let curve = curves.iter().find(|curve| curve.stream == stream && curve.label == label);
        curve.and_then(|curve| Some(curve.last()?.estimate.mean)).unwrap()
    };
    let test = RunQuantity::Measure("test_loss".into());
    // The loss of the rounds contains the outliers of 30 % of the targets: about 0.3 times 100.
    assert!(value(&RunQuantity::AverageLoss, "0.3", "tukey") > 20.0);
    assert!(value(&test, "0.3", "least-squares") > 4.0, "{}", value(&test, "0.3", "least-squares"));
    assert!(value(&test, "0.3", "tukey") < 1.2 * value(&test, "0", "tukey"));
    assert!(value(&test, "0", "least-squares") < 1.5);
    assert_eq!(value(&RunQuantity::Measure("scale".into()), "0", "tukey"), 4.0);
}

#[test]
fn mistakes_in_a_corruption_are_named() {
    let project = Small::new();
    for (from, to, expected) in [
        ("\"contamination\"", "\"contaminations\"", "did you mean `contamination`"),
        ("share = [0.0, 0.3]", "share = 2", "stream.corruption.share"),
        ("name = \"contamination\"", "", "stream.corruption"),
    ] {
        project.write("pipeline/experiments/corrupted.toml", &CORRUPTED.replacen(from, to, 1));
        let ended = project.noregret(&["run", "-n", "run/corrupted", "--offline"]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{expected}: {}", ended.stderr);
    }
}
