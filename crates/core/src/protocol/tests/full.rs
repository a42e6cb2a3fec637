use std::cell::Cell;
use std::collections::BTreeMap;

use super::toys::*;
use crate::learner::api::{Gauges, Hypothesis, Learner};
use crate::protocol::full::play;
use crate::protocol::grid::RoundGrid;
use crate::protocol::record::{RunRecord, RunStatus};
use crate::protocol::run::{Interrupted, RunOptions};
use crate::stream::api::Source;
use crate::stream::spec::TargetKind;
use noregret_numeric::draw::Role;

fn record(learner: &mut dyn Learner, source: &dyn Source, options: &RunOptions) -> RunRecord {
    timeless(play(learner, source, &named("stream"), &named("learner"), options, &never).unwrap())
}

/// Round by round, written out.
fn by_hand(rounds: u64) -> Vec<f64> {
    let mut learner = Linear::new(2, 0.05, 0.1);
    let mut losses = Vec::new();
    for round in 1..=rounds {
        let mut x = [0.0; 2];
        let y = PLANE.example(round, &named("stream"), &mut x);
        let prediction = learner.predict(&x, &mut named("learner").at(Role::Predict, round));
        losses.push((prediction - y).powi(2));
        learner.learn(&x, y, &mut named("learner").at(Role::Learn, round)).unwrap();
    }
    losses
}

#[test]
fn checkpoints_hold_sums_and_gauges_of_their_round() {
    let losses = by_hand(1_000);
    let record = record(&mut Linear::new(2, 0.05, 0.1), &PLANE, &RunOptions::new(1_000));
    assert_eq!((record.status.clone(), record.rounds), (RunStatus::Done, 1_000));
    let rounds: Vec<u64> = record.checkpoints.iter().map(|at| at.t).collect();
    assert_eq!(rounds, RoundGrid::default().rounds(1_000));
    for at in &record.checkpoints {
        let sum: f64 = losses[..at.t as usize].iter().sum();
        assert!((at.cumulative_loss - sum).abs() <= 1e-12 * sum, "round {}", at.t);
        assert_eq!(at.gauges.stored_points, Some(at.t), "gauges are those of the checkpoint's round");
        assert_eq!((at.cumulative_error, at.queries), (None, None));
    }
}

#[test]
fn blocks_do_not_matter() {
    let of = |block| record(&mut Linear::new(2, 0.05, 0.1), &PLANE, &RunOptions { block, ..RunOptions::new(700) });
    let reference = of(256);
    for block in [0, 1, 7, 10_000] {
        assert_eq!(of(block), reference, "block {block}");
    }
}

#[test]
fn a_dense_grid_agrees_with_the_logarithmic_one() {
    let dense =
        record(&mut Linear::new(2, 0.05, 0.1), &PLANE, &RunOptions { grid: RoundGrid::Dense, ..RunOptions::new(300) });
    let sparse = record(&mut Linear::new(2, 0.05, 0.1), &PLANE, &RunOptions::new(300));
    assert_eq!(dense.checkpoints.len(), 300);
    for at in &sparse.checkpoints {
        assert_eq!(at, &dense.checkpoints[at.t as usize - 1]);
    }
}

#[test]
fn times_grow() {
    let learner = &mut Linear::new(2, 0.05, 0.1);
    let options = RunOptions::new(2_000);
    let record = play(learner, &PLANE, &named("stream"), &named("learner"), &options, &never).unwrap();
    assert!(record.checkpoints.windows(2).all(|w| w[0].cpu_ns <= w[1].cpu_ns && w[0].wall_ns <= w[1].wall_ns));
    assert!(record.checkpoints.last().unwrap().wall_ns > 0);
}

#[test]
fn a_source_may_end_before_the_horizon() {
    let short = Plane { rounds: Some(40), ..PLANE };
    let record = record(&mut Linear::new(2, 0.05, 0.1), &short, &RunOptions::new(1_000));
    assert_eq!((record.status, record.rounds), (RunStatus::Done, 40));
    assert_eq!(record.checkpoints.last().map(|at| at.t), Some(40));
}

#[test]
fn errors_of_sign_are_counted_for_labels_only() {
    let labels = Plane { signs: true, ..PLANE };
    let options = RunOptions { targets: TargetKind::Signs, ..RunOptions::new(500) };
    let counted = record(&mut Linear::new(2, 0.01, 0.0), &labels, &options);
    // The first prediction is 0: half an error.
    assert_eq!(counted.checkpoints[0].cumulative_error, Some(0.5));
    let errors = counted.checkpoints.last().unwrap().cumulative_error.unwrap();
    assert!(errors > 0.5 && errors < 100.0 && errors.fract() == 0.5, "{errors}");
    let given_up = record(&mut Linear::new(2, 0.01, 0.0), &PLANE, &options);
    assert!(given_up.checkpoints.iter().all(|at| at.cumulative_error.is_none()));
    let not_asked = record(&mut Linear::new(2, 0.01, 0.0), &labels, &RunOptions::new(500));
    assert!(not_asked.checkpoints.iter().all(|at| at.cumulative_error.is_none()));
}

#[test]
fn divergence_ends_the_run_where_it_happens() {
    let cases = [
        // (failing round, how, rounds with a valid prediction, round reported, part of the cause)
        (17, How::Predicting(f64::NAN), 16, 17, "NaN"),
        (17, How::Predicting(f64::INFINITY), 16, 17, "inf"),
        (17, How::Predicting(-1e200), 16, 17, "too large"),
        (17, How::Attending, 16, 17, "cannot look"),
        (17, How::Learning, 17, 18, "cannot learn"),
        (100, How::Learning, 100, 101, "cannot learn"),
        (1, How::Predicting(f64::NAN), 0, 1, "NaN"),
    ];
    for (failing, how, rounds, reported, word) in cases {
        for block in [1, 5, 256] {
            let learner = &mut Fails { round: failing, how, seen: 0 };
            let record = record(learner, &PLANE, &RunOptions { block, ..RunOptions::new(100) });
            let RunStatus::Diverged { round, cause } = &record.status else { panic!("{how:?}: {:?}", record.status) };
            assert_eq!((record.rounds, *round), (rounds, reported), "{how:?} in blocks of {block}");
            assert!(cause.contains(word), "{cause}");
            let last = record.checkpoints.last();
            assert_eq!(last.map_or(0, |at| at.t), rounds, "the trace ends with the last valid round");
            assert!(record.checkpoints.windows(2).all(|pair| pair[0].t < pair[1].t));
            if rounds == 16 {
                let last = last.unwrap();
                let losses: f64 = (1..=16).map(|t| PLANE.example(t, &named("stream"), &mut [0.0; 2]).powi(2)).sum();
                assert!((last.cumulative_loss - losses).abs() < 1e-12 * losses);
            }
        }
    }
}

#[test]
fn gauges_after_a_divergence_do_not_depend_on_blocks() {
    let learner = || Fails { round: 24, how: How::Predicting(f64::NAN), seen: 0 };
    let of = |block| record(&mut learner(), &PLANE, &RunOptions { block, ..RunOptions::new(100) });
    assert_eq!(of(1), of(256));
    // 22 is on the grid; 23 is kept because it is the last valid round, without gauges.
    let kept = of(256).checkpoints;
    let [.., before, last] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!((before.t, before.gauges.stored_points), (22, Some(22)));
    assert_eq!((last.t, last.gauges), (23, Gauges::default()));
}

#[test]
fn an_interruption_is_noticed_before_the_next_block() {
    let asked = Cell::new(0);
    let interrupted = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let learner = &mut Linear::new(2, 0.05, 0.1);
    let outcome = play(learner, &PLANE, &named("stream"), &named("learner"), &RunOptions::new(1_000), &interrupted);
    assert_eq!(outcome, Err(Interrupted));
    assert_eq!(learner.learnt, 3, "the first three blocks end at checkpoints 1, 2, 3");
}

#[test]
fn no_rounds() {
    let record = record(&mut Linear::new(2, 0.05, 0.1), &PLANE, &RunOptions::new(0));
    assert_eq!(
        record,
        RunRecord { status: RunStatus::Done, rounds: 0, checkpoints: Vec::new(), measures: BTreeMap::new() }
    );
}
