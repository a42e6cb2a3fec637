//! Made-up results for the tests, as frames like those of the result tables.

use std::collections::BTreeMap;

use noregret_report::analysis::record::ExperimentResults;
use noregret_report::trace::gauge::GAUGES;
use noregret_report::trace::schema::{ResultColumn, Type};
use polars::prelude::{DataFrame, DataType, NamedFrom, Series, df};

/// The replicates of one label.
#[derive(Clone)]
pub struct Sample {
    pub label: &'static str,
    pub learner: &'static str,
    pub horizon: u64,
    /// One status per replicate.
    pub statuses: Vec<&'static str>,
    /// Average loss after t rounds, without the noise of the replicate.
    pub loss: fn(f64) -> f64,
    /// Processor seconds of t rounds.
    pub seconds: fn(f64) -> f64,
    /// For classification, the share of wrong signs after t rounds.
    pub error: Option<fn(f64) -> f64>,
    /// Relative size of the noise of a replicate.
    pub wiggle: f64,
    /// Comparator loss as a function of the horizon. Regret is the loss minus this.
    pub comparator: fn(f64) -> f64,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            label: "FOGD",
            learner: "fogd",
            horizon: 1000,
            statuses: vec!["done"; 5],
            loss: |t| 0.07 + 0.3 / t.sqrt(),
            seconds: |t| 6e-5 * t,
            error: None,
            wiggle: 0.2,
            comparator: |_| 0.0,
        }
    }
}

/// Eight learners on a dataset like casp.
pub fn casp() -> Vec<Sample> {
    let base = Sample { horizon: 45_730, ..Sample::default() };
    let of = |label, learner, loss, seconds| Sample { label, learner, loss, seconds, ..base.clone() };
    let slow: fn(f64) -> f64 = |t| 7e-5 * t;
    vec![
        Sample {
            horizon: 5_000,
            ..of("KRR", "kernel-ridge", |t| 0.0622 + 0.10 / t.sqrt(), |t| 1.2e-11 * t.powi(3) + 1e-6 * t)
        },
        of("PKRR Taylor M=2", "pkrr-taylor", |t| 0.0605 + 0.16 / t.sqrt(), |t| 4e-6 * t),
        of("PKRR Taylor M=3", "pkrr-taylor", |t| 0.0600 + 0.15 / t.sqrt(), |t| 1.5e-5 * t),
        of("PKRR Nystrom", "pkrr-nystrom", |t| 0.0598 + 0.14 / t.sqrt(), |t| 1e-5 * t * (1.0 + t.ln())),
        base.clone(),
        of("NOGD", "nogd", |t| 0.0700 + 0.40 / t.sqrt(), |t| 1e-5 * t),
        Sample {
            statuses: vec!["done", "done", "done", "diverged", "failed"],
            ..of("Pros-N-KONS", "pros-n-kons", |t| 0.074 + 0.9 / t.sqrt(), slow)
        },
        Sample { statuses: vec!["diverged"; 5], ..of("Sketched-KONS", "sketched-kons", base.loss, slow) },
    ]
}

/// Kernel-AWV with the spline kernel: one run per horizon and replicate, regret n^0.345.
pub fn spline() -> Vec<Sample> {
    [64, 128, 256, 512, 1024, 2048]
        .into_iter()
        .map(|horizon| Sample {
            label: "Kernel-AWV",
            learner: "kernel-awv",
            horizon,
            loss: |t| 1.0 - 0.5 * t.powf(-0.655),
            comparator: |n| n - 1.36 * n.powf(0.345),
            wiggle: 0.004,
            ..Sample::default()
        })
        .collect()
}

/// 1, 2, 3, ... on a grid of 32 rounds per decade, and the horizon.
fn grid(horizon: u64) -> Vec<u64> {
    let mut rounds: Vec<u64> = (0..400).map(|j| 10f64.powf(f64::from(j) / 32.0).round() as u64).collect();
    rounds.retain(|t| *t < horizon);
    rounds.push(horizon);
    rounds.dedup();
    rounds
}

/// A number in [-1, 1] that depends only on its arguments.
fn noise(a: u64, b: u64) -> f64 {
    let mixed = (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Runs, traces and times of an experiment.
pub struct Frames {
    pub runs: DataFrame,
    pub traces: DataFrame,
    pub times: DataFrame,
}

/// The tables of an experiment on `stream`.
pub fn frames(experiment: &str, stream: &str, samples: &[Sample]) -> Frames {
    let mut runs = Vec::new();
    let mut rows = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        for (replicate, status) in sample.statuses.iter().enumerate() {
            let id = format!("{:016x}", 1000 * index + replicate);
            runs.push((id.clone(), sample, replicate as u64, *status));
            let played = if *status == "done" { sample.horizon } else { sample.horizon / 10 };
            for t in grid(sample.horizon).into_iter().filter(|t| *t <= played) {
                let x = t as f64;
                let wiggle = 1.0 + sample.wiggle * noise(replicate as u64, 7) / x.powf(0.3);
                let loss = x * (sample.loss)(x) * wiggle;
                rows.push((id.clone(), sample, replicate as u64, t, loss, sample.error.map(|error| x * error(x))));
            }
        }
    }
    let last = |id: &str| rows.iter().rfind(|row| row.0 == id).map(|row| (row.3, row.4, row.5));
    let done = |run: &(String, &Sample, u64, &str)| (run.3 == "done").then(|| last(&run.0)).flatten();
    let run_table = df!(
        "run_id" => runs.iter().map(|run| run.0.clone()).collect::<Vec<_>>(),
        "experiment" => vec![experiment; runs.len()],
        "stream" => vec![stream; runs.len()],
        "learner" => runs.iter().map(|run| run.1.learner).collect::<Vec<_>>(),
        "label" => runs.iter().map(|run| run.1.label).collect::<Vec<_>>(),
        "replicate" => runs.iter().map(|run| run.2).collect::<Vec<_>>(),
        "horizon" => runs.iter().map(|run| run.1.horizon).collect::<Vec<_>>(),
        "status" => runs.iter().map(|run| run.3).collect::<Vec<_>>(),
        "detail" => runs.iter().map(|run| (run.3 != "done").then(|| format!("{} at a bad pivot", run.3))).collect::<Vec<_>>(),
        "rounds" => runs.iter().map(|run| last(&run.0).map_or(0, |end| end.0)).collect::<Vec<_>>(),
        "cumulative_loss" => runs.iter().map(|run| done(run).map(|end| end.1)).collect::<Vec<_>>(),
        "average_loss" => runs.iter().map(|run| done(run).map(|end| end.1 / end.0 as f64)).collect::<Vec<_>>(),
        "cumulative_error" => runs.iter().map(|run| done(run).and_then(|end| end.2)).collect::<Vec<_>>(),
        "comparator_loss" => runs.iter().map(|run| Some((run.1.comparator)(run.1.horizon as f64))).collect::<Vec<_>>(),
        "key" => runs.iter().map(|run| format!("{:0>64}", run.0)).collect::<Vec<_>>(),
        "config" => vec!["{}"; runs.len()],
        "tuned" => vec![None::<&str>; runs.len()],
    );
    let trace_table = df!(
        "run_id" => rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>(),
        "experiment" => vec![experiment; rows.len()],
        "stream" => vec![stream; rows.len()],
        "learner" => rows.iter().map(|row| row.1.learner).collect::<Vec<_>>(),
        "label" => rows.iter().map(|row| row.1.label).collect::<Vec<_>>(),
        "replicate" => rows.iter().map(|row| row.2).collect::<Vec<_>>(),
        "horizon" => rows.iter().map(|row| row.1.horizon).collect::<Vec<_>>(),
        "t" => rows.iter().map(|row| row.3).collect::<Vec<_>>(),
        "cumulative_loss" => rows.iter().map(|row| row.4).collect::<Vec<_>>(),
        "cumulative_error" => rows.iter().map(|row| row.5).collect::<Vec<_>>(),
        "comparator_loss" => vec![None::<f64>; rows.len()],
    );
    let spent = |row: &(String, &Sample, u64, u64, f64, Option<f64>)| {
        (1e9 * (row.1.seconds)(row.3 as f64) * (1.0 + 0.1 * noise(row.2, row.1.horizon))) as u64
    };
    let time_table = df!(
        "run_id" => rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>(),
        "t" => rows.iter().map(|row| row.3).collect::<Vec<_>>(),
        "cpu_ns" => rows.iter().map(spent).collect::<Vec<_>>(),
        "wall_ns" => rows.iter().map(spent).collect::<Vec<_>>(),
    );
    let held = |name: &str, (_, sample, replicate, _): &(String, &Sample, u64, &str)| match name {
        "stored_points" => (sample.learner == "kernel-ridge").then_some(sample.horizon),
        "features" => sample.learner.starts_with("pkrr").then_some(45 + replicate % 2),
        "state_bytes" => Some(16_384 + 8 * sample.horizon),
        _ => None,
    };
    let (mut run_table, mut trace_table) = (run_table.unwrap(), trace_table.unwrap());
    for &ResultColumn { name, kind, .. } in GAUGES {
        let add = |table: &mut DataFrame, counts: Vec<Option<u64>>| {
            let counts = Series::new(name.into(), counts);
            let column = if kind == Type::Count { counts } else { counts.cast(&DataType::Float64).unwrap() };
            table.with_column(column.into()).unwrap();
        };
        add(&mut run_table, runs.iter().map(|run| held(name, run)).collect());
        add(&mut trace_table, vec![None; rows.len()]);
    }
    Frames { runs: run_table, traces: trace_table, times: time_table.unwrap() }
}

/// The records of an experiment, as the only entry of a map.
pub fn results(name: &str, samples: &[Sample]) -> BTreeMap<String, ExperimentResults> {
    let Frames { runs, traces, times } = frames(name, name, samples);
    let experiment = ExperimentResults::new(name, &runs, &traces, Some(&times)).unwrap();
    BTreeMap::from([(name.to_owned(), experiment)])
}
