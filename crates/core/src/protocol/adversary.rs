//! Plays against an opponent that knows the learner's hypothesis when it chooses the example.

use crate::learner::api::{AnyLearner, Block, Hypothesis, Learner, OracleLearner};
use crate::protocol::cell::{CellError, Feed, Play, Protocol};
use crate::protocol::full::FullPlayer;
use crate::protocol::noisy::{Channel, NoisyPlayer, behind};
use crate::protocol::record::{RunRecord, RunStatus};
use crate::protocol::run::{Interrupted, Player, Recorder, RunOptions, Stop, play_and_score};
use crate::protocol::score::finite;
use crate::protocol::supervisor::Supervisor;
use crate::stream::api::Adversary;
use crate::stream::spec::Origin;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};

/// A run against an adversary, with the rounds that it chose. A comparator needs these rounds, and no other learner
/// would have met the same ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// The run.
    pub record: RunRecord,
    /// The inputs chosen, one row per round of `record.rounds`.
    pub inputs: Matrix,
    /// The targets chosen.
    pub targets: Vec<f64>,
}

/// Plays `learner` against `adversary`, round by round; `options.block` does not matter.
///
/// # Errors
/// [`Interrupted`] as soon as `supervisor` says so; it is asked before each round.
pub fn play(
    learner: &mut dyn Learner,
    adversary: &mut dyn Adversary,
    stream_draws: &Draws,
    learner_draws: &Draws,
    options: &RunOptions,
    supervisor: &dyn Supervisor,
) -> Result<Duel, Interrupted> {
    let player = &mut FullPlayer::new(learner, learner_draws);
    duel(player, FullPlayer::hypothesis, adversary, (stream_draws, learner_draws), options, supervisor)
}

/// The same for a learner behind `channel`: the adversary chooses the clean example, and knows the hypothesis, but none of
/// the copies to come.
///
/// # Errors
/// As [`play`].
pub(crate) fn play_behind(
    learner: &mut dyn OracleLearner,
    adversary: &mut dyn Adversary,
    channel: &Channel,
    stream_draws: &Draws,
    learner_draws: &Draws,
    options: &RunOptions,
    supervisor: &dyn Supervisor,
) -> Result<Duel, Interrupted> {
    let player = &mut NoisyPlayer::new(learner, learner_draws, channel);
    duel(player, NoisyPlayer::hypothesis, adversary, (stream_draws, learner_draws), options, supervisor)
}

/// `hypothesis` is what the player would predict, which its opponent knows before the round.
fn duel<P: Player>(
    player: &mut P,
    hypothesis: impl Fn(&P) -> &dyn Hypothesis,
    adversary: &mut dyn Adversary,
    (stream_draws, learner_draws): (&Draws, &Draws),
    options: &RunOptions,
    supervisor: &dyn Supervisor,
) -> Result<Duel, Interrupted> {
    let dim = adversary.dim();
    let (mut inputs, mut targets) = (Matrix::with_width(dim), Vec::new());
    let mut recorder = Recorder::new(options);
    let checkpoints = options.grid.rounds(options.horizon);
    let mut checkpoints = checkpoints.iter().peekable();
    let mut x = vec![0.0; dim];
    for round in 1..=options.horizon {
        if supervisor.interrupted() {
            return Err(Interrupted);
        }
        let coin = learner_draws.at(Role::Attend, round);
        let draw = &mut stream_draws.at(Role::Example, round);
        let y = adversary.choose(round, hypothesis(player), &coin, draw, &mut x);
        let outcome = if y.is_finite() && x.iter().all(|value| value.is_finite()) {
            let block = Block { first_round: round, inputs: Rows::new(dim, &x), targets: &[y] };
            let Recorder { tally, watch, .. } = &mut recorder;
            play_and_score(player, block, &mut [0.0], tally, watch, |_| {
                inputs.push_row(&x);
                targets.push(y);
            })
        } else {
            Err(Stop { cause: "the adversary found no finite example".into() })
        };
        if let Err(stop) = outcome {
            return Ok(Duel { record: recorder.stopped(stop), inputs, targets });
        }
        if checkpoints.next_if(|&&at| at == round).is_some() {
            recorder.checkpoint(player.gauges(), player.queries());
            recorder.compare(adversary.comparator());
        }
    }
    Ok(Duel { record: recorder.done(), inputs, targets })
}

/// The protocol of cells that are played against an adversary.
pub static PROTOCOL: Protocol = Protocol { module: module_path!(), play: play_cell };

fn play_cell(cell: &Play<'_>, learner: AnyLearner) -> Result<RunRecord, CellError> {
    let Origin::Adversary { entry, params, .. } = &cell.stream.origin else {
        return Err(CellError::OtherProtocol(cell.cell.learner.name));
    };
    let adversary = &mut *(entry.build)(params)?;
    let Play { stream_draws: stream, learner_draws: own, options, supervisor, .. } = cell;
    let (mut record, measures) = match (learner, &cell.stream.noise, cell.cell.feed) {
        (AnyLearner::Full(mut learner), None, _) | (AnyLearner::Full(mut learner), _, Feed::Clean) => {
            (play(&mut *learner, adversary, stream, own, options, *supervisor)?.record, learner.measures())
        }
        (learner, ..) => {
            let (mut learner, channel) = behind(cell, learner)?;
            let duel = play_behind(&mut *learner, adversary, &channel, stream, own, options, *supervisor)?;
            (duel.record, learner.measures())
        }
    };
    if record.status == RunStatus::Done {
        record.measures = finite(measures);
    }
    Ok(record)
}
