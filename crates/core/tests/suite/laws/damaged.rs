//! Saved states that were tampered with: they are refused, or what is loaded goes on without a panic.

use std::collections::BTreeMap;

use noregret_core::laws::data::LawRounds;
use noregret_core::laws::{learner, noisy};
use noregret_core::learner::api::AnyLearner;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::state::{Array, StateError, Store};

use super::cases::{all, draws};

/// Rounds before the state is saved.
const ROUNDS: usize = 90;

fn state(learner: &mut AnyLearner, store: &mut Store) -> Result<(), StateError> {
    match learner {
        AnyLearner::Full(learner) => learner.state(store),
        AnyLearner::Noisy(learner) => learner.state(store),
    }
}

/// Plays rounds `from..to`, whatever comes of it.
fn play(learner: &mut AnyLearner, data: &LawRounds, from: usize, to: usize) {
    let inputs = data.inputs.slice(from, to).data().to_vec();
    let inputs = Matrix::from_data(to - from, data.inputs.cols(), inputs).unwrap();
    let part = LawRounds { inputs, targets: data.targets[from..to].to_vec() };
    match learner {
        AnyLearner::Full(learner) => {
            let _ = learner::play(&mut **learner, part.inputs.view(), &part.targets, &draws(), 7);
        }
        AnyLearner::Noisy(learner) => {
            let _ = noisy::play(&mut **learner, &part, 0.2);
        }
    }
}

/// More arrays than a learner without a bank of members has.
const MANY: usize = 120;

/// The names of the arrays that are made wrong: all or, of a bank of members, one of each kind (the same last part of
/// the name), the first or the last.
fn chosen(arrays: &BTreeMap<String, Array>, first: bool) -> Vec<String> {
    if arrays.len() < MANY {
        return arrays.keys().cloned().collect();
    }
    let mut kinds = BTreeMap::new();
    for name in arrays.keys() {
        let last = name.rsplit('.').next().unwrap_or(name).trim_matches(|c: char| c.is_ascii_digit() || c == '_');
        let kind = if last.ends_with("there") { "there" } else { last };
        let chosen = kinds.entry(kind.to_owned()).or_insert(name);
        *chosen = if first { *chosen } else { name };
    }
    kinds.into_values().cloned().collect()
}

/// Every way in which one array may be wrong.
fn wrong(array: &Array) -> Vec<Option<Array>> {
    let filled = |value: f64| Array { values: vec![value; array.values.len()], ..array.clone() };
    let longer = Array::from([&array.values[..], &[0.5]].concat());
    let shorter = Array::from(array.values[..array.values.len().saturating_sub(1)].to_vec());
    let mut wrong = vec![None, Some(longer), Some(shorter), Some(Array::from(Vec::new()))];
    wrong.push(Some(Array { shape: vec![usize::MAX, 3], ..array.clone() }));
    if let [rows, cols] = array.shape[..] {
        wrong.push(Some(Array { shape: vec![cols, rows], ..array.clone() }));
        let fewer = array.values[..rows.saturating_sub(1) * cols].to_vec();
        wrong.push(Some(Array { shape: vec![rows.saturating_sub(1), cols], values: fewer }));
    }
    wrong.extend([0.0, 1.0, -1.0, 3.0, 1e300, 9e15, f64::NAN, f64::INFINITY].map(|value| Some(filled(value))));
    wrong
}

#[test]
fn what_does_not_fit_is_refused_and_the_rest_does_no_harm() {
    let mut refused = 0;
    for noisy in [false, true] {
        // The default parameters of each learner, in one and in three dimensions.
        let mut seen = BTreeMap::new();
        let cases = all(noisy);
        for case in &cases {
            seen.entry((case.entry.name, case.dim)).or_insert(case);
        }
        for case in seen.into_values() {
            let data = LawRounds::smooth(case.dim, ROUNDS + 40).with_labels();
            let mut learner = case.any().unwrap();
            play(&mut learner, &data, 0, ROUNDS);
            let mut store = Store::saving();
            state(&mut learner, &mut store).unwrap();
            let arrays = store.into_arrays();
            for name in &chosen(&arrays, case.dim == 1) {
                for other in wrong(&arrays[name]) {
                    let mut arrays = arrays.clone();
                    match other {
                        Some(other) => drop(arrays.insert(name.clone(), other)),
                        None => drop(arrays.remove(name)),
                    }
                    let mut fresh = case.any().unwrap();
                    let mut store = Store::loading(arrays);
                    match state(&mut fresh, &mut store).and_then(|()| store.finish()) {
                        Ok(()) => play(&mut fresh, &data, ROUNDS, ROUNDS + 40),
                        Err(error) => {
                            assert!(error.to_string().contains('`'), "{error}");
                            refused += 1;
                        }
                    }
                }
            }
            let mut more = arrays.clone();
            more.insert("stray".into(), Array::from(vec![1.0]));
            let mut store = Store::loading(more);
            let loaded = state(&mut case.any().unwrap(), &mut store).and_then(|()| store.finish());
            assert_eq!(loaded, Err(StateError::Unknown("stray".into())), "{case}");
        }
    }
    assert!(refused > 500, "{refused}");
}
