//! Numbers from a short run of every member, pinned in tests/vectors/snapshots.json. A change of any of them is a
//! change of results and must be intended.

use std::collections::BTreeMap;

use noregret_core::kernel::KERNELS;
use noregret_core::learner::LEARNERS;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;

use super::cases::{Case, data, draws, play, variants};
use super::noisy;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/snapshots.json");
const BLESS: &str = "NOREGRET_BLESS";

/// Every tenth prediction of 100 rounds of each learner, and kernel values of ten pairs, with default parameters.
fn current() -> BTreeMap<String, Vec<f64>> {
    let mut numbers = BTreeMap::new();
    for entry in LEARNERS.iter() {
        let case = Case { entry, table: variants(entry.params, 1).swap_remove(0), dim: 1 };
        if case.is_noisy() {
            let (predictions, breakdown) = noisy::run(&case, &data(1, 100));
            assert_eq!(breakdown, None, "{case}");
            numbers.insert(format!("learner {}", entry.name), predictions.into_iter().skip(9).step_by(10).collect());
            continue;
        }
        let data = data(1, 100);
        let predictions = play(&mut *case.full().unwrap(), data.inputs.view(), &data.targets, &draws(), 100);
        let predictions = predictions.unwrap_or_else(|(_, breakdown)| panic!("{case}: {breakdown:?}"));
        numbers.insert(format!("learner {}", entry.name), predictions.into_iter().skip(9).step_by(10).collect());
    }
    for entry in KERNELS.iter() {
        let params = check(entry.params, &variants(entry.params, 1)[0], "", &AllParts).unwrap();
        let (kernel, data) = ((entry.build)(&params).unwrap(), data(1, 11));
        let values = (0..10).map(|i| kernel.evaluate(data.inputs.row(i), data.inputs.row(i + 1)));
        numbers.insert(format!("kernel {}", entry.name), values.collect());
    }
    numbers
}

/// Whether numbers are the pinned ones, up to rounding.
fn agree(found: &[f64], pinned: &[f64]) -> bool {
    let scale = pinned.iter().fold(0.0, |scale: f64, value| scale.max(value.abs()));
    found.len() == pinned.len() && found.iter().zip(pinned).all(|(found, value)| (found - value).abs() <= 1e-9 * scale)
}

#[test]
fn numbers_are_those_of_the_snapshot() {
    let current = current();
    let text = std::fs::read_to_string(FILE).unwrap_or_else(|error| panic!("{FILE}: {error}"));
    let mut pinned: BTreeMap<String, Vec<f64>> = serde_json::from_str(&text).unwrap();
    if std::env::var_os(BLESS).is_some() {
        // What agrees keeps its digits, so that the diff shows what changed.
        pinned.retain(|name, values| current.get(name).is_some_and(|found| agree(found, values)));
        current.iter().for_each(|(name, values)| _ = pinned.entry(name.clone()).or_insert(values.clone()));
        let lines: Vec<String> =
            pinned.iter().map(|(name, values)| format!("  {name:?}: {}", serde_json::json!(values))).collect();
        std::fs::write(FILE, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    for (name, values) in &current {
        let Some(expected) = pinned.get(name) else {
            panic!("{name} has no snapshot: run this test with {BLESS}=1, look at the numbers, and commit the file");
        };
        assert!(agree(values, expected), "{name}: {values:?} instead of {expected:?}");
    }
    let gone: Vec<_> = pinned.keys().filter(|name| !current.contains_key(*name)).collect();
    assert!(gone.is_empty(), "no longer registered: {gone:?}; run this test with {BLESS}=1");
}
