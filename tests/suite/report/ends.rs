//! Figures of the ends of runs against a parameter, and of their times.

use std::collections::BTreeMap;

use noregret_report::analysis::curve::at_ends;
use noregret_report::analysis::quantity::RunQuantity;
use noregret_report::analysis::record::ExperimentResults;

use super::samples::{Sample, results};
use super::{context, figure};

/// Two families at three values of mu, and a level. A round takes 1 ms at mu = 1, 2 ms at 10 and 3 ms at 100.
fn by_mu() -> BTreeMap<String, ExperimentResults> {
    const SECONDS: [fn(f64) -> f64; 3] = [|t| 1e-3 * t, |t| 2e-3 * t, |t| 3e-3 * t];
    let labels = [
        ["sequential: mu = 1", "sequential: mu = 10", "sequential: mu = 100"],
        ["beforehand: mu = 1", "beforehand: mu = 10", "beforehand: mu = 100"],
    ];
    let mut samples = vec![Sample { label: "exact Kernel-AWV", learner: "kernel-awv", ..Sample::default() }];
    for family in labels {
        for (label, seconds) in family.into_iter().zip(SECONDS) {
            samples.push(Sample { label, learner: "pkawv-nystrom", seconds, ..Sample::default() });
        }
    }
    let mut all = results("nystrom-mu", &samples);
    for run in &mut all.get_mut("nystrom-mu").unwrap().runs {
        if let Some(mu) = run.label.split("mu = ").nth(1) {
            run.parameters.insert("mu".into(), mu.parse().unwrap());
        }
    }
    all
}

/// The times of the samples are accurate to a tenth.
#[test]
fn times_are_those_of_whole_runs() {
    let (all, mu) = (by_mu(), RunQuantity::Parameter("mu".into()).into());
    let found = at_ends(&all["nystrom-mu"], &mu, &RunQuantity::ProcessorTime.into());
    assert_eq!(found.len(), 7);
    for curve in found {
        let point = curve.last().unwrap();
        let expected = if point.x.is_nan() { 6e-5 * 1000.0 } else { (1.0 + point.x.log10()) * 1e-3 * 1000.0 };
        let mean = point.estimate.mean;
        assert!((mean - expected).abs() <= 0.1 * expected, "{}: {mean}", curve.label);
        assert_eq!(point.estimate.count, 5);
    }
    let losses = at_ends(&all["nystrom-mu"], &mu, &RunQuantity::AverageLoss.into());
    assert!(losses.iter().all(|curve| curve.last().unwrap().estimate.mean < 1.0));
}

#[test]
fn times_against_a_parameter_go_to_the_folder_of_timings() {
    let files = figure::render::render(&figure("nystrom-mu-time"), &by_mu(), &context()).unwrap();
    assert!(!files.is_empty() && files.iter().all(|(path, _)| path.starts_with("reports/timings")));
    let json = files.iter().find(|(path, _)| path.extension().is_some_and(|found| found == "json")).unwrap();
    let json = std::str::from_utf8(&json.1).unwrap();
    assert!(json.contains("it differs from run to run") && json.contains("at 100"), "{json}");
}
