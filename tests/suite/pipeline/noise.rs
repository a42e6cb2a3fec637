//! Experiments under the noisy protocol, and held-out rows.

use noregret::analysis::curve::along_horizons;
use noregret::analysis::quantity::Quantity;
use noregret::analysis::record::Experiment;
use noregret::trace::gauge::QUERIES;
use noregret::trace::read;

use super::project::Small;

const NOISY: &str = r#"
title = "Noise"
replicates = 2
horizons = [200]
test_rows = 100
[stream]
dataset = "wine-quality"
scale = "unit"
target = "unit"
label = "noise {noise.inputs.noise_std}"
[stream.noise.inputs]
name = "gaussian"
noise_std = [0.0, 0.3]
[[learners]]
name = "kernel-ogd"
label = "clean"
clean = true
[[learners]]
name = "kernel-ogd"
label = "mean of {copies}"
copies = [1, 8]
"#;

/// Without noise the losses are those on clean data, more copies give smaller losses, and the protocol counts copies.
#[test]
fn baselines_under_noise() {
    let project = Small::new();
    project.write("pipeline/experiments/noisy.toml", NOISY);
    let ended = project.noregret(&["run", "summarise/noisy", "--offline"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let table = |folder: &str| std::fs::read(project.path().join(format!("results/{folder}/noisy.parquet"))).unwrap();
    let (runs, traces) = (read::runs("runs", table("runs")).unwrap(), read::traces("traces", table("traces")).unwrap());
    let experiment = Experiment::new("noisy", &runs, &traces, None, None).unwrap();
    let value = |quantity: Quantity, stream: &str, label: &str| {
        let curves = along_horizons(&experiment, &quantity.into());
        let curve = curves.iter().find(|curve| curve.stream == stream && curve.label == label);
        curve.and_then(|curve| Some(curve.last()?.estimate.mean))
    };
    for quantity in [Quantity::AverageLoss, Quantity::Measure("test_loss".into())] {
        let of = |stream: &str, label: &str| value(quantity.clone(), stream, label).unwrap();
        let clean = of("noise 0", "clean");
        assert!((of("noise 0", "mean of 1") - clean).abs() < 1e-12);
        assert!((of("noise 0.3", "clean") - clean).abs() < 1e-12);
        assert!(of("noise 0.3", "mean of 1") > of("noise 0.3", "mean of 8"));
        assert!(of("noise 0.3", "mean of 8") > clean);
    }
    assert_eq!(value(Quantity::Gauge(QUERIES), "noise 0.3", "mean of 8"), Some(9.0 * 200.0));
    assert_eq!(value(Quantity::Gauge(QUERIES), "noise 0.3", "clean"), None);
}
