use std::num::NonZeroU32;

use super::noisy::channel;
use super::toys::*;
use crate::learner::api::Hypothesis;
use crate::protocol::adapter::FromCopies;
use crate::protocol::adversary::{Duel, play, play_behind};
use crate::protocol::record::RunStatus;
use crate::protocol::run::{Interrupted, RunOptions};
use crate::stream::api::Adversary;
use crate::stream::spec::TargetKind;
use noregret_numeric::draw::Draw;

/// Shows a random point, then contradicts what the learner says there.
struct Contrary {
    breaks_at: u64,
}

impl Adversary for Contrary {
    fn dim(&self) -> usize {
        2
    }

    fn choose(&mut self, round: u64, hypothesis: &dyn Hypothesis, _: &Draw, draw: &mut Draw, x: &mut [f64]) -> f64 {
        x.fill_with(|| draw.between(-1.0, 1.0));
        let said = hypothesis.predict(x, draw);
        if round == self.breaks_at { f64::NAN } else { -1.0f64.copysign(said) }
    }
}

fn duel(breaks_at: u64, horizon: u64) -> Duel {
    let learner = &mut Linear::new(2, 0.1, 0.0);
    let adversary = &mut Contrary { breaks_at };
    let options = RunOptions { targets: TargetKind::Signs, ..RunOptions::new(horizon) };
    let mut duel = play(learner, adversary, &named("stream"), &named("learner"), &options, &never).unwrap();
    duel.record = timeless(duel.record);
    duel
}

#[test]
fn the_adversary_knows_the_hypothesis_of_its_round() {
    let duel = duel(u64::MAX, 100);
    assert_eq!((duel.record.status.clone(), duel.record.rounds), (RunStatus::Done, 100));
    assert_eq!((duel.inputs.rows(), duel.targets.len()), (100, 100));
    // Every prediction has the wrong sign, except the first, which is 0; so every loss is at least 1.
    let last = duel.record.checkpoints.last().unwrap();
    assert_eq!(last.cumulative_error, Some(99.5));
    assert!(last.cumulative_loss > 100.0);
    assert_eq!(last.gauges.stored_points, Some(100));
}

/// The rounds that a duel reports, played again as a stream, give the same losses.
#[test]
fn the_rounds_of_a_duel_can_be_replayed() {
    use crate::stream::table::{Examples, TableSource};
    let duel = duel(u64::MAX, 60);
    let examples = Examples::new(duel.inputs, duel.targets).unwrap();
    let source = TableSource::in_file_order(std::sync::Arc::new(examples));
    let options = RunOptions { targets: TargetKind::Signs, ..RunOptions::new(60) };
    let learner = &mut Linear::new(2, 0.1, 0.0);
    let replay = crate::protocol::full::play(learner, &source, &named("x"), &named("learner"), &options, &never);
    assert_eq!(timeless(replay.unwrap()), duel.record);
}

#[test]
fn an_adversary_that_finds_nothing_ends_the_run() {
    let duel = duel(31, 100);
    let RunStatus::Diverged { round, cause } = &duel.record.status else { panic!("{:?}", duel.record.status) };
    assert_eq!((*round, duel.record.rounds, duel.inputs.rows()), (31, 30, 30));
    assert!(cause.contains("adversary"), "{cause}");
}

#[test]
fn duels_can_be_interrupted() {
    let learner = &mut Linear::new(2, 0.1, 0.0);
    let adversary = &mut Contrary { breaks_at: u64::MAX };
    let outcome = play(learner, adversary, &named("stream"), &named("learner"), &RunOptions::new(10), &|| true);
    assert_eq!(outcome, Err(Interrupted));
}

/// No noise and one copy are the full protocol, copies are
/// counted, and noise changes the rounds of the adversary, which answers what the learner made of it.
#[test]
fn a_learner_behind_noise_meets_the_adversary_too() {
    let play_behind = |std: f64| {
        let (adversary, options) = (&mut Contrary { breaks_at: u64::MAX }, RunOptions::new(100));
        let learner = &mut FromCopies::new(Box::new(Linear::new(2, 0.1, 0.0)), NonZeroU32::MIN);
        let channel = channel(std, 0.0);
        play_behind(learner, adversary, &channel, &named("stream"), &named("learner"), &options, &never).unwrap()
    };
    let (clean, noisy, full) = (play_behind(0.0), play_behind(1.0), duel(u64::MAX, 100));
    let last = |duel: &Duel| duel.record.checkpoints.last().unwrap().clone();
    assert_eq!((&clean.inputs, &clean.targets), (&full.inputs, &full.targets));
    assert_eq!(last(&clean).cumulative_loss, last(&full).cumulative_loss);
    assert_eq!((last(&noisy).queries, last(&full).queries), (Some(200), None));
    // The adversary's inputs do not depend on the learner, its targets do.
    assert_eq!(noisy.inputs, full.inputs);
    assert!(noisy.targets != full.targets && last(&noisy).cumulative_loss > 100.0);
}
