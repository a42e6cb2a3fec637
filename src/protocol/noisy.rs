//! The noisy protocol: the hypothesis is fixed before the round, its loss is measured on the clean (x_t, y_t), and
//! the learner then asks an oracle for as many noisy copies as it likes. The protocol counts them.

use std::sync::Arc;

use crate::draw::{Draw, Draws, Role};
use crate::learner::api::{Block, Breakdown, Gauges, OracleLearner};
use crate::noise::api::{NoiseLaw, Oracle};
use crate::protocol::record::Record;
use crate::protocol::run::{Interrupted, Options, Player, run};
use crate::stream::api::Source;

/// What stands between the examples and the learner.
///
/// Copy k of x_t and copy k of y_t are fixed by `draws`, t and k alone: learners compared on one replicate see the
/// same noise, however many copies each asks for.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The noise on x_t.
    pub inputs: Arc<dyn NoiseLaw>,
    /// The noise on y_t.
    pub targets: Arc<dyn NoiseLaw>,
    /// The noise's own draws.
    pub draws: Draws,
}

/// How many copies were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// Copies of x_t.
    pub inputs: u64,
    /// Copies of y_t.
    pub targets: u64,
}

/// The only thing that knows a round's clean example, as the oracle that the learner meets.
struct Environment<'a> {
    x: &'a [f64],
    y: f64,
    round: u64,
    channel: &'a Channel,
    input_draw: Draw,
    target_draw: Draw,
    queries: &'a mut Queries,
}

impl Oracle for Environment<'_> {
    fn dim(&self) -> usize {
        self.x.len()
    }

    fn x(&mut self, out: &mut [f64]) {
        self.queries.inputs += 1;
        self.channel.inputs.sample(self.round, &mut self.input_draw, out);
        for (value, clean) in out.iter_mut().zip(self.x) {
            *value += clean;
        }
    }

    fn y(&mut self) -> f64 {
        self.queries.targets += 1;
        let mut noise = [0.0];
        self.channel.targets.sample(self.round, &mut self.target_draw, &mut noise);
        self.y + noise[0]
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        self.channel.inputs.covariance_times(self.round, w, out);
    }
}

/// A noisy learner with its own random draws, behind a channel.
pub struct NoisyPlayer<'a> {
    learner: &'a mut dyn OracleLearner,
    draws: &'a Draws,
    channel: &'a Channel,
    queries: Queries,
}

impl<'a> NoisyPlayer<'a> {
    /// `learner`, drawing from `draws`, behind `channel`.
    pub fn new(learner: &'a mut dyn OracleLearner, draws: &'a Draws, channel: &'a Channel) -> Self {
        Self { learner, draws, channel, queries: Queries::default() }
    }

    /// The copies asked for so far.
    pub fn queries(&self) -> Queries {
        self.queries
    }
}

impl Player for NoisyPlayer<'_> {
    fn play(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
            let round = block.first_round + i as u64;
            predictions[i] = self.learner.predict(x, &mut self.draws.at(Role::Predict, round));
            let mut oracle = Environment {
                x,
                y,
                round,
                channel: self.channel,
                input_draw: self.channel.draws.at(Role::Copies, round),
                target_draw: self.channel.draws.at(Role::TargetCopies, round),
                queries: &mut self.queries,
            };
            // The prediction of this round is valid even if learning from it fails.
            let outcome = self.learner.learn(&mut oracle, &mut self.draws.at(Role::Learn, round));
            outcome.map_err(|breakdown| Breakdown { after: i + 1, ..breakdown })?;
        }
        Ok(())
    }

    fn gauges(&self) -> Gauges {
        self.learner.gauges()
    }

    fn queries(&self) -> Option<u64> {
        Some(self.queries.inputs + self.queries.targets)
    }
}

/// Plays `learner` against `source` behind `channel`.
///
/// # Errors
/// [`Interrupted`] as soon as `interrupted` says so; it is asked before each block.
pub fn play(
    learner: &mut dyn OracleLearner,
    source: &dyn Source,
    channel: &Channel,
    stream_draws: &Draws,
    learner_draws: &Draws,
    options: &Options,
    interrupted: &dyn Fn() -> bool,
) -> Result<Record, Interrupted> {
    run(&mut NoisyPlayer::new(learner, learner_draws, channel), source, stream_draws, options, interrupted)
}
