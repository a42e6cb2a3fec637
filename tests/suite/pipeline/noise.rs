//! Experiments under the noisy protocol, and held-out rows.

use std::path::Path;
use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::surrogate::Surrogate;
use noregret_core::params::typed::field;
use noregret_numeric::linalg::covariance::Covariance;
use noregret_report::analysis::curve::along_horizons;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::record::ExperimentResults;
use noregret_report::trace::gauge::QUERIES;
use noregret_report::trace::read;
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;

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
    let experiment = ExperimentResults::new("noisy", &runs, &traces, None).unwrap();
    let value = |quantity: RunQuantity, stream: &str, label: &str| {
        let curves = along_horizons(&experiment, &quantity.into());
        let curve = curves.iter().find(|curve| curve.stream == stream && curve.label == label);
        curve.and_then(|curve| Some(curve.last()?.estimate.mean))
    };
    for quantity in [RunQuantity::AverageLoss, RunQuantity::Measure("test_loss".into())] {
        let of = |stream: &str, label: &str| value(quantity.clone(), stream, label).unwrap();
        let clean = of("noise 0", "clean");
        assert!((of("noise 0", "mean of 1") - clean).abs() < 1e-12);
        assert!((of("noise 0.3", "clean") - clean).abs() < 1e-12);
        assert!(of("noise 0.3", "mean of 1") > of("noise 0.3", "mean of 8"));
        assert!(of("noise 0.3", "mean of 8") > clean);
    }
    assert_eq!(value(RunQuantity::Gauge(QUERIES), "noise 0.3", "mean of 8"), Some(9.0 * 200.0));
    assert_eq!(value(RunQuantity::Gauge(QUERIES), "noise 0.3", "clean"), None);
}

/// A learner that replaces a mixture of Gaussian kernels by finitely many has the kernel of its comparator: in every
/// experiment of this project to 1e-10 of k(0), at distances up to 6, which is 4 deviations of the noise beyond the longest
/// distance between inputs. With half as many components it has not.
#[test]
fn learners_and_comparators_have_the_same_kernel() {
    let project = Project::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let declared = Declared::load(&project, "paper", &[], &[]).unwrap();
    let none = Covariance::isotropic(0.0).unwrap();
    let mut checked = 0;
    for (name, experiment) in &declared.experiments {
        for cell in experiment.cells.iter().filter(|cell| cell.learner.name == "noisy-radial" && cell.replicate == 0) {
            let comparator = experiment.comparison.as_ref().unwrap().at(cell.horizon).unwrap();
            let (exact, dim) = (
                field::<Arc<dyn Kernel>>(&comparator, "kernel").unwrap(),
                experiment.design.streams[cell.stream].dim(),
            );
            let error = |count: usize| {
                let kernel = field::<Arc<dyn Kernel>>(&cell.params, "kernel").unwrap();
                let pair = Surrogate::new(&*kernel, &none, dim, count).unwrap();
                let (zero, mut x) = (vec![0.0; dim], vec![0.0; dim]);
                let at = |i: u32| {
                    x[0] = 0.1 * f64::from(i);
                    (pair.clean().evaluate(&zero, &x) - exact.evaluate(&zero, &x)).abs() / exact.diagonal(&zero)
                };
                (0..=60).map(at).fold(0.0, f64::max)
            };
            let nodes = field::<u64>(&cell.params, "nodes").unwrap() as usize;
            assert!(error(nodes) < 1e-10, "{name}: {:e}", error(nodes));
            assert!(error(nodes / 2) > 1e-10, "{name}: {:e}", error(nodes / 2));
            checked += 1;
        }
    }
    assert!(checked > 0);
}
