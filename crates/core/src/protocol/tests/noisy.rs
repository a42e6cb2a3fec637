use std::num::NonZeroU32;
use std::sync::Arc;

use super::toys::*;
use crate::learner::api::{Block, Breakdown, Gauges, Hypothesis, Learner, OracleLearner};
use crate::noise::NOISES;
use crate::noise::api::{NOISE_STD, NoiseLaw, Oracle};
use crate::params::check::check;
use crate::parts::AllParts;
use crate::protocol::adapter::FromCopies;
use crate::protocol::full;
use crate::protocol::grid::RoundGrid;
use crate::protocol::noisy::{Channel, NoisyPlayer, at_noisy_points, play};
use crate::protocol::record::RunRecord;
use crate::protocol::run::{Player, RunOptions};
use crate::stream::api::Source;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::matrix::Rows;

fn law(name: &str, std: f64) -> Arc<dyn NoiseLaw> {
    let entry = NOISES.get(name).unwrap();
    let table = toml::Table::from_iter([(NOISE_STD.name.to_owned(), toml::Value::Float(std))]);
    (entry.build)(&check(entry.params, &table, "", &AllParts).unwrap()).unwrap()
}

pub(super) fn channel(input_std: f64, target_std: f64) -> Channel {
    Channel { inputs: law("gaussian", input_std), targets: law("laplace", target_std), draws: named("noise") }
}

fn record(learner: &mut dyn OracleLearner, channel: &Channel, rounds: u64) -> RunRecord {
    let (stream, draws) = (named("stream"), named("learner"));
    timeless(play(learner, &PLANE, channel, &stream, &draws, &RunOptions::new(rounds), &never).unwrap())
}

#[test]
fn the_protocol_counts_queries() {
    let record = record(&mut Spy { ask_x: 3, ask_y: 2, ..Spy::default() }, &channel(0.5, 0.5), 100);
    for at in &record.checkpoints {
        assert_eq!(at.queries, Some(5 * at.t));
    }
}

/// |x|^2, and its unbiased estimate from a copy with noise of this variance per coordinate.
struct Square(f64);

impl Hypothesis for Square {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        x.iter().map(|x| x * x).sum()
    }

    fn gauges(&self) -> Gauges {
        Gauges::default()
    }

    fn predict_copy(&self, copy: &[f64]) -> Option<f64> {
        (self.0 >= 0.0).then(|| copy.iter().map(|x| x * x - self.0).sum())
    }
}

/// Noise of variance 1/4: the estimate has slope 1, the function at the copy is too large by 1/2, and an estimate that
/// subtracts too much has a slope below 1. 20,000 test points, margins of more than 5 standard errors.
#[test]
fn noisy_test_points_are_judged_by_slope_and_error() {
    let (channel, stream, draws) = (channel(0.5, 0.0), named("stream"), named("learner"));
    let at = |variance: f64, count: u64| {
        at_noisy_points(&Square(variance), &PLANE, &channel, (&stream, &draws), 11..=10 + count)
    };
    let [slope, plain, error, error_plain] = at(0.25, 20_000).unwrap();
    assert_eq!((slope.0, plain.0), ("copy_slope", "copy_slope_plain"));
    assert!((slope.1 - 1.0).abs() < 0.05, "{slope:?}");
    assert!(plain.1 > 1.09 && at(0.5, 20_000).unwrap()[0].1 < 0.91, "{plain:?}");
    assert!((error_plain.1 - error.1 - 0.25).abs() < 0.1, "{error:?} {error_plain:?}");
    assert!(at(-1.0, 5).is_none() && at(0.25, 0).is_none());
}

#[test]
fn losses_are_measured_on_clean_data() {
    let record = record(&mut Spy { ask_x: 1, ask_y: 1, ..Spy::default() }, &channel(10.0, 10.0), 200);
    let squares: f64 = (1..=200).map(|t| PLANE.example(t, &named("stream"), &mut [0.0; 2]).powi(2)).sum();
    let last = record.checkpoints.last().unwrap();
    assert!((last.cumulative_loss - squares).abs() < 1e-12 * squares);
}

/// Copy k of round t is the same for every learner, whatever else it asks for and in which order.
#[test]
fn copies_do_not_depend_on_the_learner() {
    let channel = channel(0.5, 0.5);
    let of = |ask_x, ask_y, ask_y_first| {
        let mut spy = Spy { ask_x, ask_y, ask_y_first, ..Spy::default() };
        record(&mut spy, &channel, 20);
        spy
    };
    let (many, few) = (of(4, 3, false), of(1, 1, true));
    for t in 0..20 {
        assert_eq!(many.xs[4 * t], few.xs[t]);
        assert_eq!(many.ys[3 * t], few.ys[t]);
        assert_ne!(many.xs[4 * t], many.xs[4 * t + 1], "copies are independent");
    }
}

/// 2 x 20,000 noise values on x (Gaussian) and 20,000 on y (Laplace): mean and variance within 5 standard errors
/// (rate 6e-7 each).
#[test]
fn noise_has_the_declared_deviation() {
    let mut spy = Spy { ask_x: 1, ask_y: 1, ..Spy::default() };
    record(&mut spy, &channel(0.5, 2.0), 20_000);
    let (mut on_x, mut on_y) = (Vec::new(), Vec::new());
    for (t, (copy, y_copy)) in (1..).zip(spy.xs.iter().zip(&spy.ys)) {
        let mut x = [0.0; 2];
        let y = PLANE.example(t, &named("stream"), &mut x);
        on_x.extend(copy.iter().zip(x).map(|(copy, x)| (copy - x) / 0.5));
        on_y.push((y_copy - y) / 2.0);
    }
    for (noise, fourth) in [(on_x, 3.0), (on_y, 6.0f64)] {
        let n = noise.len() as f64;
        let mean = noise.iter().sum::<f64>() / n;
        let variance = noise.iter().map(|z| z * z).sum::<f64>() / n;
        assert!(mean.abs() < 5.0 / n.sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * ((fourth - 1.0) / n).sqrt(), "{variance}");
    }
}

#[test]
fn without_noise_one_copy_is_full_information() {
    let inner = Linear::new(2, 0.05, 0.1);
    let full =
        full::play(&mut inner.clone(), &PLANE, &named("stream"), &named("learner"), &RunOptions::new(500), &never);
    let mut adapter = FromCopies::new(Box::new(inner), NonZeroU32::MIN);
    let mut noisy = record(&mut adapter, &channel(0.0, 0.0), 500);
    for at in &mut noisy.checkpoints {
        assert_eq!(at.queries.take(), Some(2 * at.t));
    }
    assert_eq!(noisy, timeless(full.unwrap()));
}

/// The adapter learns from the mean of its copies of x and one copy of y, exactly as the inner learner does when it is
/// given these by hand.
#[test]
fn the_mean_of_copies_is_what_is_learnt() {
    let channel = channel(0.5, 0.5);
    let mut spy = Spy { ask_x: 3, ask_y: 1, ..Spy::default() };
    record(&mut spy, &channel, 50);
    let mut adapter = FromCopies::new(Box::new(Linear::new(2, 0.05, 0.0)), NonZeroU32::new(3).unwrap());
    let record = record(&mut adapter, &channel, 50);
    assert_eq!(record.checkpoints.last().unwrap().queries, Some(200));

    let mut by_hand = Linear::new(2, 0.05, 0.0);
    let mut loss = 0.0;
    for (t, (copies, y_copy)) in (1..).zip(spy.xs.chunks(3).zip(&spy.ys)) {
        let mut x = [0.0; 2];
        let y = PLANE.example(t, &named("stream"), &mut x);
        let value: f64 = by_hand.weights.iter().zip(x).map(|(w, x)| w * x).sum();
        loss += (value - y).powi(2);
        let mean: Vec<f64> = (0..2).map(|i| copies.iter().map(|copy| copy[i]).sum::<f64>() / 3.0).collect();
        let step = 0.1 * (by_hand.weights.iter().zip(&mean).map(|(w, x)| w * x).sum::<f64>() - y_copy);
        by_hand.weights.iter_mut().zip(&mean).for_each(|(w, x)| *w -= step * x);
    }
    let played = record.checkpoints.last().unwrap().cumulative_loss;
    assert!((played - loss).abs() < 1e-12 * loss, "{played} {loss}");
}

/// Naive least squares on noisy inputs shrinks towards (S + N)^-1 S w*. With k copies of noise variance v this is w* /
/// (1 + v / k), where the clean loss per round is |w* v / (k + v)|^2 + 0.01. Over 50,000 rounds at a small step the
/// measured loss agrees within 5 % (the standard error is below 1 %).
#[test]
fn naive_learning_shrinks_as_theory_says() {
    for copies in [1, 4] {
        let adapter = &mut FromCopies::new(Box::new(Linear::new(2, 0.001, 0.0)), NonZeroU32::new(copies).unwrap());
        let options = RunOptions { grid: RoundGrid::Logarithmic { also: vec![10_000] }, ..RunOptions::new(60_000) };
        let (stream, draws) = (named("stream"), named("learner"));
        let record = play(adapter, &PLANE, &channel(1.0, 0.0), &stream, &draws, &options, &never).unwrap();
        let loss = |t| record.checkpoints.iter().find(|at| at.t == t).unwrap().cumulative_loss;
        let measured = (loss(60_000) - loss(10_000)) / 50_000.0;
        let expected = 5.0 / (f64::from(copies) + 1.0).powi(2) + 0.01;
        assert!((measured / expected - 1.0).abs() < 0.05, "{copies} copies: {measured} against {expected}");
    }
}

/// Adaptive noise of one round is along the weights that the learner had before it, at the size of the round robin; the
/// learner is told that covariance.
#[test]
fn adaptive_noise_knows_the_hypothesis_before_the_round() {
    let channel = Channel { inputs: law("adaptive", 0.5), targets: law("laplace", 0.0), draws: named("noise") };
    let (mut x, draws) = ([0.0; 2], named("learner"));
    let mut learner = Watched { inner: Linear::new(2, 0.1, 0.0), seen: Vec::new() };
    for round in 1..=40 {
        let y = PLANE.example(round, &named("stream"), &mut x);
        let weights = learner.inner.weights.clone();
        let block = Block { first_round: round, inputs: Rows::new(2, &x), targets: &[y] };
        NoisyPlayer::new(&mut learner, &draws, &channel).play(block, &mut [0.0]).unwrap();
        let (copy, told) = learner.seen.pop().unwrap();
        let noise = [copy[0] - x[0], copy[1] - x[1]];
        assert!((noise[0].hypot(noise[1]) - 0.5f64.sqrt()).abs() < 1e-9, "round {round}: {noise:?}");
        if round > 1 {
            let across = noise[0] * weights[1] - noise[1] * weights[0];
            assert!(across.abs() < 1e-6 * weights[0].hypot(weights[1]), "round {round}: {noise:?} {weights:?}");
            assert!((0..2).all(|i| (told[i] - 0.5 * weights[i]).abs() < 1e-6), "round {round}: {told:?}");
        }
    }
}

/// Learns from one copy, and keeps it with what the oracle says of the covariance.
struct Watched {
    inner: Linear,
    seen: Vec<([f64; 2], [f64; 2])>,
}

impl Hypothesis for Watched {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.inner.predict(x, draw)
    }

    fn gauges(&self) -> Gauges {
        Gauges::default()
    }
}

impl OracleLearner for Watched {
    fn learn(&mut self, oracle: &mut dyn Oracle, draw: &mut Draw) -> Result<(), Breakdown> {
        let (mut copy, mut told) = ([0.0; 2], [0.0; 2]);
        oracle.x(&mut copy);
        oracle.covariance_times(&self.inner.weights, &mut told);
        self.seen.push((copy, told));
        let y = oracle.y();
        self.inner.learn(&copy, y, draw)
    }
}
