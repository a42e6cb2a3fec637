//! The noisy protocol. The hypothesis is fixed before the round and its loss is measured on the clean (x_t, y_t). The
//! learner then asks an oracle for as many noisy copies as it likes, which the protocol counts.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::learner::api::{AnyLearner, Block, Breakdown, DrawnBlock, Gauges, Hypothesis, OracleLearner};
use crate::noise::api::{NoiseLaw, Oracle};
use crate::protocol::adapter::FromCopies;
use crate::protocol::cell::{CellError, Feed, Play, Protocol};
use crate::protocol::record::{RunRecord, RunStatus};
use crate::protocol::run::{Interrupted, Player, Recorder, RunOptions, run};
use crate::protocol::supervisor::Supervisor;
use crate::stream::api::Source;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

/// The noise between the examples and the learner.
///
/// Copy k of x_t and copy k of y_t depend on `draws`, t and k alone. Learners that are compared on one replicate
/// therefore see the same noise, however many copies each asks for. Only the directions of adaptive noise on the inputs
/// ([`NoiseLaw::adaptive`]) depend on the learner, through what it has learnt before the round.
///
/// ```
/// use noregret_core::{noise::api::NoNoise, prelude::*, protocol::{adapter::FromCopies, noisy::{Channel, play}}};
/// use std::sync::Arc;
///
/// let noise = NOISES.choose(&json!({ "name": "uniform", "noise_std": 0.1 }), None, "", &AllParts)?.object;
/// let channel = Channel { inputs: noise, targets: Arc::new(NoNoise), draws: Draws::named(&["noise"]) };
/// // A learner of clean examples, fed with the mean of three copies, asks for 3 + 1 copies a round.
/// let entry = LEARNERS.find("linear-ogd")?;
/// let setting = Setting { dim: 2, horizon: Some(50), draws: Draws::named(&["learner"]) };
/// let params = check(entry.params, &json!({}), "", &AllParts)?;
/// let AnyLearner::Full(learner) = (entry.build.learner)(&params, &setting)? else { unreachable!() };
/// let mut learner = FromCopies::new(learner, 3.try_into().unwrap());
/// let source = STREAMS.choose(&json!({ "name": "uniform-inputs", "dim": 2 }), None, "", &AllParts)?.object;
/// let stream = Draws::named(&["stream"]);
/// let record = play(&mut learner, &*source, &channel, &stream, &setting.draws, &RunOptions::new(50), &|| false).unwrap();
/// assert_eq!(record.checkpoints.last().unwrap().queries, Some(4 * 50));
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Channel {
    /// The noise on x_t.
    pub inputs: Arc<dyn NoiseLaw>,
    /// The noise on y_t.
    pub targets: Arc<dyn NoiseLaw>,
    /// The noise's own draws.
    pub draws: Draws,
}

/// The numbers of copies that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// Copies of x_t.
    pub inputs: u64,
    /// Copies of y_t.
    pub targets: u64,
}

/// The oracle of a round. Nothing else that the learner meets knows the round's clean example.
struct Environment<'a> {
    x: &'a [f64],
    y: f64,
    round: u64,
    /// The noise on x_t in this round.
    inputs: Arc<dyn NoiseLaw>,
    channel: &'a Channel,
    input_draw: Draw,
    target_draw: Draw,
    queries: &'a mut Queries,
}

impl<'a> Environment<'a> {
    /// The oracle of a round whose noise on x_t has the law `inputs`.
    fn new(
        round: u64,
        (x, y): (&'a [f64], f64),
        inputs: Arc<dyn NoiseLaw>,
        channel: &'a Channel,
        queries: &'a mut Queries,
    ) -> Self {
        let (input_draw, target_draw) =
            (channel.draws.at(Role::Copies, round), channel.draws.at(Role::TargetCopies, round));
        Self { x, y, round, inputs, channel, input_draw, target_draw, queries }
    }
}

impl Channel {
    /// The law of the noise on `x` in a round before which the learner has come to `hypothesis`. An adversary asks with
    /// draws of the noise, so that it does not know the learner's coins.
    fn noise(&self, round: u64, x: &[f64], hypothesis: &dyn Hypothesis) -> Arc<dyn NoiseLaw> {
        let predict = |x: &[f64]| hypothesis.predict(x, &mut self.draws.at(Role::Predict, round));
        self.inputs.adaptive().map_or_else(|| self.inputs.clone(), |adversary| adversary.against(x, &predict))
    }
}

impl Oracle for Environment<'_> {
    fn dim(&self) -> usize {
        self.x.len()
    }

    fn x(&mut self, out: &mut [f64]) {
        self.queries.inputs += 1;
        self.inputs.sample(self.round, &mut self.input_draw, out);
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
        self.inputs.covariance_times(self.round, w, out);
    }
}

/// A noisy learner with its own random draws, behind a channel.
pub struct NoisyPlayer<'a> {
    learner: &'a mut dyn OracleLearner,
    draws: &'a Draws,
    channel: &'a Channel,
    queries: Queries,
    /// Buffer for the copies of a block.
    copies: Matrix,
    targets: Vec<f64>,
}

impl<'a> NoisyPlayer<'a> {
    /// `learner`, drawing from `draws`, behind `channel`.
    pub fn new(learner: &'a mut dyn OracleLearner, draws: &'a Draws, channel: &'a Channel) -> Self {
        Self { learner, draws, channel, queries: Queries::default(), copies: Matrix::default(), targets: Vec::new() }
    }

    /// What the learner has come to.
    pub(crate) fn hypothesis(&self) -> &dyn Hypothesis {
        &*self.learner
    }

    /// The copies asked for so far.
    pub fn queries(&self) -> Queries {
        self.queries
    }
}

impl Player for NoisyPlayer<'_> {
    fn play(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Self { learner, draws, channel, queries, copies, targets } = self;
        let examples = || (block.first_round..).zip(block.inputs.iter().zip(block.targets.iter().copied()));
        if channel.inputs.adaptive().is_none()
            && let Some(learner) = learner.in_blocks()
        {
            // All copies come first, since they depend on nothing that the learner does.
            let each = learner.copies();
            copies.reshape(each * block.targets.len(), block.inputs.cols());
            targets.clear();
            let mut drawn = Queries::default();
            for (i, (round, example)) in examples().enumerate() {
                let mut oracle = Environment::new(round, example, channel.inputs.clone(), channel, &mut drawn);
                (0..each).for_each(|copy| oracle.x(copies.row_mut(i * each + copy)));
                targets.push(oracle.y());
            }
            let played = learner.play(DrawnBlock { inputs: block.inputs, copies: copies.view(), targets }, predictions);
            // Rounds after a breakdown asked for no copies.
            let rounds = played.as_ref().map_or_else(|breakdown| breakdown.after, |()| targets.len()) as u64;
            queries.inputs += rounds * each as u64;
            queries.targets += rounds;
            return played;
        }
        for (i, (round, example)) in examples().enumerate() {
            predictions[i] = learner.predict(example.0, &mut draws.at(Role::Predict, round));
            let noise = channel.noise(round, example.0, &**learner);
            let mut oracle = Environment::new(round, example, noise, channel, queries);
            // The prediction of this round is valid even if learning from it fails.
            let outcome = learner.learn(&mut oracle, &mut draws.at(Role::Learn, round));
            outcome.map_err(|breakdown| Breakdown { after: i + 1, ..breakdown })?;
        }
        Ok(())
    }

    fn predict(&self, round: u64, x: &[f64]) -> f64 {
        self.learner.predict(x, &mut self.draws.at(Role::Predict, round))
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
/// [`Interrupted`] as soon as `supervisor` says so; it is asked before each block.
pub fn play(
    learner: &mut dyn OracleLearner,
    source: &dyn Source,
    channel: &Channel,
    stream_draws: &Draws,
    learner_draws: &Draws,
    options: &RunOptions,
    supervisor: &dyn Supervisor,
) -> Result<RunRecord, Interrupted> {
    let (mut player, recorder) = (NoisyPlayer::new(learner, learner_draws, channel), Recorder::new(options));
    run(&mut player, source, stream_draws, options, recorder, supervisor)
}

/// The protocol of cells that are played through noisy copies.
pub static PROTOCOL: Protocol = Protocol { module: module_path!(), play: play_cell };

/// The learner of a cell as one of noisy copies, and the channel of the cell's noise.
pub(crate) fn behind(cell: &Play<'_>, learner: AnyLearner) -> Result<(Box<dyn OracleLearner>, Channel), CellError> {
    let other = || CellError::OtherProtocol(cell.cell.learner.name);
    let learner = match (learner, cell.cell.feed) {
        (AnyLearner::Noisy(learner), _) => learner,
        (AnyLearner::Full(learner), Feed::Copies(copies)) => Box::new(FromCopies::new(learner, copies)),
        (AnyLearner::Full(_), Feed::Clean) => return Err(other()),
    };
    let noise = cell.stream.noise.as_ref().ok_or_else(other)?;
    let draws = cell.stream.noise_draws(cell.design.seed, &cell.design.name, cell.cell.replicate);
    Ok((learner, Channel { inputs: noise.on_inputs(), targets: noise.on_targets(), draws }))
}

fn play_cell(cell: &Play<'_>, learner: AnyLearner) -> Result<RunRecord, CellError> {
    let (mut learner, channel) = behind(cell, learner)?;
    let source = cell.source()?;
    let (stream, own) = (&cell.stream_draws, &cell.learner_draws);
    let record = play(&mut *learner, &*source, &channel, stream, own, &cell.options, cell.supervisor)?;
    let mut record = cell.measured(record, &*source, &*learner);
    if record.status == RunStatus::Done {
        let held_out = record.rounds + 1..=record.rounds + cell.design.test_rows;
        let measures = at_noisy_points(&*learner, &*source, &channel, (stream, own), held_out);
        record.measures.extend(measures.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(record)
}

/// What becomes of predictions f(x) at test points of which only a noisy copy x~ is known, one copy for each round of
/// `held_out`, for learners that have estimates f~(x~) of f(x) ([`Hypothesis::predict_copy`]). With sums over the rounds,
///
/// - `copy_slope` is sum f~(x~) f(x) / sum f(x)^2, which is 1 in expectation if f~ is unbiased;
/// - `copy_error` is the mean of (f~(x~) - f(x))^2;
/// - `copy_slope_plain` and `copy_error_plain` are the same for f(x~), the function at the copy itself.
///
/// `None` if there is no estimate, no test point, or if f is 0 at all of them.
pub(crate) fn at_noisy_points(
    hypothesis: &dyn Hypothesis,
    source: &dyn Source,
    channel: &Channel,
    (stream_draws, learner_draws): (&Draws, &Draws),
    held_out: RangeInclusive<u64>,
) -> Option<[(&'static str, f64); 4]> {
    let (mut x, mut copy) = (vec![0.0; source.dim()], vec![0.0; source.dim()]);
    let (mut slopes, mut errors, mut squares, mut count) = ([0.0; 2], [0.0; 2], 0.0, 0.0);
    for round in held_out {
        source.clean(round, stream_draws, &mut x);
        let noise = channel.noise(round, &x, hypothesis);
        noise.sample(round, &mut channel.draws.at(Role::Copies, round), &mut copy);
        copy.iter_mut().zip(&x).for_each(|(copy, x)| *copy += x);
        let at = |x: &[f64]| hypothesis.predict(x, &mut learner_draws.at(Role::Predict, round));
        let (exact, found) = (at(&x), [hypothesis.predict_copy(&copy)?, at(&copy)]);
        for i in 0..2 {
            slopes[i] += found[i] * exact;
            errors[i] += (found[i] - exact) * (found[i] - exact);
        }
        squares += exact * exact;
        count += 1.0;
    }
    let [slope, plain] = slopes.map(|sum| sum / squares);
    let [error, error_plain] = errors.map(|sum| sum / count);
    let measures =
        [("copy_slope", slope), ("copy_slope_plain", plain), ("copy_error", error), ("copy_error_plain", error_plain)];
    measures.iter().all(|(_, value)| value.is_finite()).then_some(measures)
}
