//! Plays against an opponent that knows the learner's hypothesis when it chooses the example.

use crate::learner::api::{AnyLearner, Block, Hypothesis, Learner};
use crate::protocol::cell::{CellError, Play, Protocol};
use crate::protocol::full::FullPlayer;
use crate::protocol::record::{RunRecord, RunStatus};
use crate::protocol::run::{Interrupted, Recorder, RunOptions, Stop, play_and_score};
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
        let hypothesis: &dyn Hypothesis = &*learner;
        let coin = learner_draws.at(Role::Attend, round);
        let y = adversary.choose(round, hypothesis, &coin, &mut stream_draws.at(Role::Example, round), &mut x);
        let outcome = if y.is_finite() && x.iter().all(|value| value.is_finite()) {
            let block = Block { first_round: round, inputs: Rows::new(dim, &x), targets: &[y] };
            let mut player = FullPlayer::new(learner, learner_draws);
            let Recorder { tally, watch, .. } = &mut recorder;
            play_and_score(&mut player, block, &mut [0.0], tally, watch, |_| {
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
            recorder.checkpoint(learner.gauges(), None);
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
    let AnyLearner::Full(mut learner) = learner else {
        return Err(CellError::OtherProtocol(cell.cell.learner.name));
    };
    let mut adversary = (entry.build)(params)?;
    let (stream, own) = (&cell.stream_draws, &cell.learner_draws);
    let mut record = play(&mut *learner, &mut *adversary, stream, own, &cell.options, cell.supervisor)?.record;
    if record.status == RunStatus::Done {
        record.measures = finite(learner.measures());
    }
    Ok(record)
}
