//! Numbers from a short run of every member and of every erratum, pinned in tests/vectors/snapshots.json. A change of any of them is a
//! change of results and must be intended.

use std::collections::BTreeMap;

use noregret_core::kernel::KERNELS;
use noregret_core::laws::noisy;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::Gauges;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_numeric::draw::Role;
use noregret_papers::errata::api::{Accuracy, Relation};
use noregret_papers::errata::registry::ERRATA;

use super::cases::{LearnerCase, data, draws, play, variants};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/snapshots.json");
const BLESS: &str = "NOREGRET_BLESS";

/// Every tenth prediction of 100 rounds of each learner, and kernel values of ten pairs, with default parameters; the last
/// predictions of each case, and what it took; and the numbers of each erratum.
fn current() -> BTreeMap<String, Vec<f64>> {
    let mut numbers = BTreeMap::new();
    for entry in LEARNERS.iter() {
        for (i, case) in LearnerCase::of(entry).unwrap().into_iter().enumerate() {
            let (predictions, resources) = played(&case);
            if i == 0 {
                let some = predictions.iter().skip(9).step_by(10).copied().collect();
                numbers.insert(format!("learner {}", entry.name), some);
            }
            let case = named(&case);
            numbers.insert(format!("case {case}"), predictions[98..].to_vec());
            numbers.insert(format!("{RESOURCES} {case}"), resources);
        }
    }
    for entry in KERNELS.iter() {
        let params = check(entry.params, &variants(entry.params, 1)[0], "", &AllParts).unwrap();
        let (kernel, data) = ((entry.build)(&params).unwrap(), data(1, 11));
        let values = (0..10).map(|i| kernel.evaluate(data.inputs.row(i), data.inputs.row(i + 1)));
        numbers.insert(format!("kernel {}", entry.name), values.collect());
    }
    for erratum in ERRATA.iter() {
        for (i, quantity) in erratum.finding().quantities.into_iter().enumerate() {
            let accuracy = match quantity.accuracy {
                Accuracy::Sampled { standard_error, .. } => standard_error,
                Accuracy::Exact { tolerance } => tolerance,
            };
            let predicted = [quantity.printed, quantity.corrected].into_iter().flatten();
            let bound = predicted.clone().fold(0.0, f64::max);
            // A distance far below its bound consists of rounding errors, which differ between processors.
            let rounding = quantity.relation == Relation::AtMost && quantity.found.abs() < 1e-5 * bound;
            let found = if rounding { 0.0 } else { quantity.found };
            let known = predicted.chain([found, accuracy]).filter(|number| number.is_finite());
            numbers.insert(format!("erratum {} {i}", erratum.id), known.collect());
        }
    }
    numbers
}

/// How the numbers are called that each stand for themselves.
const RESOURCES: &str = "resources";

/// The predictions of 100 rounds, and what the learner says that it took and was estimated to take.
/// A case by the TOML of its parameters.
fn named(case: &LearnerCase) -> String {
    let table = toml::Table::try_from(&case.table).unwrap().to_string();
    format!("{} {{ {} }} in {} dimensions", case.entry.name, table.trim().replace('\n', ", "), case.dim)
}

fn played(case: &LearnerCase) -> (Vec<f64>, Vec<f64>) {
    let data = data(case.dim, 100);
    let (x, mut draw) = (vec![0.5; case.dim], draws().at(Role::Predict, 101));
    let (predictions, gauges, averaged) = if case.is_noisy() {
        let mut learner = case.noisy().unwrap();
        let (predictions, breakdown) = noisy::play(&mut *learner, &data.with_labels(), 0.2).unwrap();
        assert_eq!(breakdown, None, "{case}");
        (predictions, learner.gauges(), learner.predict_averaged(&x, &mut draw))
    } else {
        let mut learner = case.full().unwrap();
        let data = if learner.wants_labels() { data.with_labels() } else { data };
        let predictions = play(&mut *learner, data.inputs.view(), &data.targets, &draws(), 100);
        let predictions = predictions.unwrap_or_else(|(_, breakdown)| panic!("{case}: {breakdown:?}"));
        (predictions, learner.gauges(), learner.predict_averaged(&x, &mut draw))
    };
    let Gauges { stored_points, features, kernel_evaluations, norm, state_bytes, .. } = gauges;
    let counts = [stored_points, features, kernel_evaluations, state_bytes];
    let counts = counts.map(|count| count.map_or(-1.0, |count| count as f64));
    let params = check(case.entry.params, &case.table, "", &AllParts).unwrap();
    let cost = (case.entry.build.cost)(&params, 1000, case.dim);
    // A number that is no prediction stands for none.
    let others = [norm.unwrap_or(-1.0), cost.flops, cost.bytes, averaged.unwrap_or(f64::MAX)];
    (predictions, [&counts[..], &others].concat())
}

/// Whether the numbers called `name` are the pinned ones, up to rounding.
fn agree(name: &str, found: &[f64], pinned: &[f64]) -> bool {
    let largest = pinned.iter().fold(0.0, |scale: f64, value| scale.max(value.abs()));
    let scale = |value: f64| if name.starts_with(RESOURCES) { value.abs() } else { largest };
    let close = |(found, value): (&f64, &f64)| (found - value).abs() <= 1e-9 * scale(*value);
    found.len() == pinned.len() && found.iter().zip(pinned).all(close)
}

#[test]
fn numbers_are_those_of_the_snapshot() {
    let current = current();
    let text = std::fs::read_to_string(FILE).unwrap_or_else(|error| panic!("{FILE}: {error}"));
    let mut pinned: BTreeMap<String, Vec<f64>> = serde_json::from_str(&text).unwrap();
    if std::env::var_os(BLESS).is_some() {
        // What agrees keeps its digits, so that the diff shows what changed.
        pinned.retain(|name, values| current.get(name).is_some_and(|found| agree(name, found, values)));
        current.iter().for_each(|(name, values)| _ = pinned.entry(name.clone()).or_insert(values.clone()));
        let lines: Vec<String> =
            pinned.iter().map(|(name, values)| format!("  {name:?}: {}", serde_json::json!(values))).collect();
        std::fs::write(FILE, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    for (name, values) in &current {
        let Some(expected) = pinned.get(name) else {
            panic!("{name} has no snapshot: run this test with {BLESS}=1, look at the numbers, and commit the file");
        };
        assert!(agree(name, values, expected), "{name}: {values:?} instead of {expected:?}");
    }
    let gone: Vec<_> = pinned.keys().filter(|name| !current.contains_key(*name)).collect();
    assert!(gone.is_empty(), "no longer registered: {gone:?}; run this test with {BLESS}=1");
}
