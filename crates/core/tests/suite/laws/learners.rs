//! Laws of full-information learners.

use noregret_core::draw::Role;
use noregret_core::learner::api::{Block, Breakdown};

use super::cases::{Case, Data, ROUNDS, bits, data, draws, play, play_from, scale};

/// Predictions, and the breakdown if there was one. Learners may break down; then all ways to play must agree on it.
type Run = (Vec<f64>, Option<Breakdown>);

fn run(case: &Case, data: &Data, size: usize) -> Run {
    match play(&mut *case.learner(), data.inputs.view(), &data.targets, &draws(), size) {
        Ok(predictions) => (predictions, None),
        Err((predictions, breakdown)) => (predictions, Some(breakdown)),
    }
}

fn assert_same_run(found: &Run, expected: &Run, tolerance: f64, what: &str) {
    assert_eq!(found.0.len(), expected.0.len(), "{what}: {:?} {:?}", found.1, expected.1);
    let bound = tolerance * scale(&expected.0);
    for (t, (a, b)) in found.0.iter().zip(&expected.0).enumerate() {
        assert!((a - b).abs() <= bound || a.to_bits() == b.to_bits(), "{what}: round {}: {a} and {b}", t + 1);
    }
}

/// However rounds are cut into blocks, the predictions are those of round by round.
#[test]
fn blocks_equal_round_by_round() {
    for case in Case::all() {
        let data = data(case.dim, ROUNDS);
        let single = run(&case, &data, 1);
        for size in [7, 64, ROUNDS] {
            assert_same_run(&run(&case, &data, size), &single, 1e-9, &format!("{case}, blocks of {size}"));
        }
    }
}

/// Blocks of one, too, when asked for as blocks.
#[test]
fn blocks_of_one_equal_round_by_round() {
    for case in Case::all() {
        let data = data(case.dim, 80);
        let mut learner = case.learner();
        if learner.foresees() {
            learner.foresee(data.inputs.view(), &draws()).unwrap();
        }
        let mut found = vec![0.0; 80];
        for t in 0..80 {
            let block =
                Block { first_round: t as u64 + 1, inputs: data.inputs.slice(t, t + 1), targets: &data.targets[t..=t] };
            learner.play(block, &draws(), &mut found[t..=t]).unwrap_or_else(|b| panic!("{case}: {b:?}"));
        }
        assert_same_run(&(found, None), &run(&case, &data, 1), 1e-9, &case.to_string());
    }
}

/// The prediction of round t depends neither on y_t nor on anything later, but for the inputs of a learner that is told
/// all of them beforehand. What comes later is changed beyond recognition, so a leak would show as more than the rounding
/// that other numbers in the same product may cause.
#[test]
fn predictions_know_no_future() {
    for case in Case::all() {
        let original = data(case.dim, ROUNDS);
        let foresees = case.learner().foresees();
        let runs = [1, 64, ROUNDS].map(|size| (size, run(&case, &original, size)));
        for t in [0, 63, 64, 257] {
            let mut changed = original.clone();
            for s in t..ROUNDS {
                changed.targets[s] = 3.0 - 7.0 * changed.targets[s];
                if s > t && !foresees {
                    changed.inputs.row_mut(s).iter_mut().for_each(|x| *x = 0.2 - 0.9 * *x);
                }
            }
            for (size, expected) in &runs {
                let found = run(&case, &changed, *size);
                let known = (t + 1).min(expected.0.len());
                assert!(found.0.len() >= known, "{case}: round {}", t + 1);
                let bound = 1e-12 * scale(&expected.0[..known]);
                for s in 0..known {
                    let (a, b) = (found.0[s], expected.0[s]);
                    assert!((a - b).abs() <= bound, "{case}, blocks of {size}: round {} knew round {}", s + 1, t + 1);
                }
            }
        }
    }
}

/// The same draws give the same bits, also with another thread at the same work.
#[test]
fn runs_repeat_to_the_bit() {
    for case in Case::all() {
        let data = data(case.dim, ROUNDS);
        for size in [1, 64] {
            let first = bits(&run(&case, &data, size).0);
            let both: Vec<_> = std::thread::scope(|scope| {
                let handles = [0, 1].map(|_| scope.spawn(|| bits(&run(&case, &data, size).0)));
                handles.into_iter().map(|handle| handle.join().unwrap()).collect()
            });
            assert!(both.iter().all(|found| found == &first), "{case}, blocks of {size}");
        }
    }
}

/// Predicting as often as one likes, anywhere, changes no later prediction by a bit.
#[test]
fn prediction_teaches_nothing() {
    for case in Case::all() {
        let data = data(case.dim, 100);
        let expected = run(&case, &data, 1);
        let (draws, mut learner) = (draws(), case.learner());
        if learner.foresees() {
            learner.foresee(data.inputs.view(), &draws).unwrap();
        }
        let mut found = Vec::new();
        for (t, (x, y)) in data.inputs.view().iter().zip(&data.targets).enumerate().take(expected.0.len()) {
            let round = t as u64 + 1;
            let elsewhere: Vec<f64> = x.iter().map(|x| 0.5 - x).collect();
            let ask = |x: &[f64]| learner.predict(x, &mut draws.at(Role::Predict, round));
            assert_eq!(ask(&elsewhere).to_bits(), ask(&elsewhere).to_bits(), "{case}");
            let before = learner.gauges();
            learner.attend(x, &mut draws.at(Role::Attend, round)).unwrap();
            let ask = |x: &[f64]| learner.predict(x, &mut draws.at(Role::Predict, round));
            found.push(ask(x));
            ask(&elsewhere);
            assert_eq!(ask(x).to_bits(), found[t].to_bits(), "{case}: round {round}");
            assert_eq!(learner.gauges().norm, before.norm, "{case}: round {round}");
            if learner.learn(x, *y, &mut draws.at(Role::Learn, round)).is_err() {
                break;
            }
        }
        assert_eq!(bits(&found), bits(&expected.0), "{case}");
    }
}

/// Whatever finite numbers come in, finite predictions come out, or a breakdown is reported in the round (a value that
/// says so, not a panic, and no further rounds).
#[test]
fn nasty_inputs_give_finite_predictions_or_a_breakdown() {
    let rounds = 100;
    type Input = fn(usize, usize) -> f64;
    let nasty: [(&str, Input); 6] = [
        ("zeros", |_, _| 0.0),
        ("one point", |_, _| 0.3),
        ("large values", |t, k| 1e6 * ((t * 7 + k * 3) % 11) as f64),
        ("huge values", |t, k| if t % 2 == 0 { 1e200 } else { -1e150 * (k + 1) as f64 }),
        ("tiny values", |t, k| 1e-300 * (t * (k + 1)) as f64),
        ("alternating", |t, k| if k == 0 { (t % 2) as f64 } else { 1.0 }),
    ];
    for case in Case::all() {
        for (what, input) in &nasty {
            for target in [1.0, -1e8] {
                let mut data = Data { inputs: data(case.dim, rounds).inputs, targets: vec![target; rounds] };
                for t in 0..rounds {
                    data.inputs.row_mut(t).iter_mut().enumerate().for_each(|(k, value)| *value = input(t, k));
                }
                for size in [1, 40] {
                    let (predictions, breakdown) = run(&case, &data, size);
                    let sound = predictions.len() - usize::from(breakdown.is_some() && !predictions.is_empty());
                    assert!(
                        predictions[..sound].iter().all(|p| p.is_finite()),
                        "{case}, {what}, target {target}, blocks of {size}: {breakdown:?} {predictions:?}"
                    );
                    assert!(breakdown.is_some() || predictions.len() == rounds, "{case}, {what}");
                    assert!(breakdown.is_none_or(|b| !b.cause.is_empty()), "{case}, {what}");
                }
            }
        }
    }
}

/// Counts never fall, points are among the rounds played and within a declared budget, and all ways to play agree.
#[test]
fn gauges_count() {
    for case in Case::all() {
        let data = data(case.dim, ROUNDS);
        let budget =
            case.entry.params.iter().any(|spec| spec.name == "budget").then(|| case.params().integer("budget"));
        let mut ends = Vec::new();
        for size in [1, 50] {
            let mut learner = case.learner();
            let seen = if learner.foresees() { ROUNDS } else { 0 };
            if learner.foresees() {
                learner.foresee(data.inputs.view(), &draws()).unwrap();
            }
            let mut before = learner.gauges();
            for from in (0..ROUNDS).step_by(size) {
                let to = ROUNDS.min(from + size);
                let (inputs, targets) = (data.inputs.slice(from, to), &data.targets[from..to]);
                if play_from(from as u64 + 1, &mut *learner, inputs, targets, &draws(), size).is_err() {
                    break;
                }
                let now = learner.gauges();
                assert!(now.kernel_evaluations >= before.kernel_evaluations, "{case}: {now:?}");
                assert!(now.stored_points.unwrap_or(0) <= to.max(seen) as u64, "{case}: {now:?}");
                assert!(budget.is_none_or(|budget| now.stored_points.unwrap_or(0) <= budget), "{case}: {now:?}");
                assert!(now.norm.is_none_or(|norm| norm >= 0.0), "{case}: {now:?}");
                assert!(now.state_bytes.is_some(), "{case}: says nothing about its memory");
                before = now;
            }
            ends.push(before);
        }
        let counts = ends.iter().map(|end| (end.stored_points, end.features, end.kernel_evaluations, end.state_bytes));
        let counts: Vec<_> = counts.collect();
        assert_eq!(counts[0], counts[1], "{case}");
        if let (Some(a), Some(b)) = (ends[0].norm, ends[1].norm) {
            assert!((a - b).abs() <= 1e-9 * a, "{case}: {a} {b}");
        }
    }
}

/// Forecasts of cost are positive and do not fall with the number of rounds.
#[test]
fn costs_are_forecast() {
    for case in Case::all() {
        let params = case.params();
        let (short, long) =
            ((case.entry.build.cost)(&params, 100, case.dim), (case.entry.build.cost)(&params, 10_000, case.dim));
        assert!(short.flops > 0.0 && long.flops > short.flops && long.flops.is_finite(), "{case}: {short:?} {long:?}");
        assert!(short.bytes > 0.0 && long.bytes >= short.bytes && long.bytes.is_finite(), "{case}: {short:?} {long:?}");
    }
}
