//! Laws of full-information learners, for every learner of the registry.

use noregret_core::laws::learner::{self, GaugeLimits, LearnerLaw};
use noregret_numeric::state::Store;

use noregret_core::learner::api::Block;
use noregret_numeric::draw::Role;

use super::cases::{LearnerCase, data, different, draws};

fn every_case_keeps(law: LearnerLaw) {
    for case in different(false) {
        law(&|| case.full(), case.dim).unwrap_or_else(|broken| panic!("{case}: {broken}"));
    }
}

#[test]
fn blocks_equal_round_by_round() {
    every_case_keeps(learner::blocks);
}

#[test]
fn predictions_know_no_future() {
    every_case_keeps(learner::causality);
}

#[test]
fn runs_repeat_to_the_bit() {
    every_case_keeps(learner::determinism);
}

#[test]
fn prediction_teaches_nothing() {
    every_case_keeps(learner::prediction_teaches_nothing);
}

#[test]
fn extreme_inputs_give_finite_predictions_or_a_breakdown() {
    every_case_keeps(learner::finite);
}

/// The number of points also stays within a declared budget.
#[test]
fn gauges_count() {
    let budget = |case: &LearnerCase| {
        let declared = case.entry.params.iter().any(|spec| spec.name == "budget");
        if declared {
            noregret_core::params::typed::field(&case.params().unwrap(), "budget").unwrap()
        } else {
            u64::MAX
        }
    };
    for case in different(false) {
        let limits = GaugeLimits { stored_points: budget(&case), ..GaugeLimits::NONE };
        learner::gauges(&|| case.full(), case.dim, limits).unwrap_or_else(|broken| panic!("{case}: {broken}"));
    }
}

/// Many rows are predicted as each of them is: before the first round, and after rounds that were learnt since the last time.
#[test]
fn rows_are_predicted_as_each_of_them_is() {
    for case in different(false) {
        let (mut learner, data) = (case.full().unwrap(), data(case.dim, 420));
        let data = if learner.wants_labels() { data.with_labels() } else { data };
        if learner.foresees() {
            learner.foresee(data.inputs.view(), &draws()).unwrap();
        }
        for (from, to) in [(0, 0), (0, 60), (60, 400)] {
            let block = Block {
                first_round: from as u64 + 1,
                inputs: data.inputs.view().slice(from, to),
                targets: &data.targets[from..to],
            };
            learner
                .play(block, &draws(), &mut vec![0.0; to - from])
                .unwrap_or_else(|error| panic!("{case}: {error:?}"));
            let draw = |i: usize| draws().at(Role::Predict, i as u64);
            let mut together = vec![f64::NAN; data.targets.len()];
            learner.predict_rows(data.inputs.view(), &draw, &mut together);
            for (i, (x, found)) in data.inputs.view().iter().zip(&together).enumerate() {
                let alone = learner.predict(x, &mut draw(i));
                assert!((found - alone).abs() <= 1e-9 * alone.abs().max(1.0), "{case}, {to}, {i}: {found} {alone}");
            }
        }
    }
}

/// Every learner of the registry has a state.
#[test]
fn what_is_saved_and_loaded_goes_on() {
    every_case_keeps(learner::saved);
    for case in different(false) {
        case.full().unwrap().state(&mut Store::saving()).unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}
