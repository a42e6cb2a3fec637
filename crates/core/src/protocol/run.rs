//! What the protocols share: rounds are played in blocks that end at the checkpoints, and scored by a [`Tally`].

use std::collections::BTreeMap;

use std::sync::Arc;

use crate::learner::api::{Block, Breakdown, Gauges};
use crate::loss::api::Loss;
use crate::loss::squared::Squared;
use crate::protocol::clock::Stopwatch;
use crate::protocol::grid::RoundGrid;
use crate::protocol::record::{Checkpoint, RunRecord, RunStatus, checkpoints_state};
use crate::protocol::supervisor::Supervisor;
use crate::protocol::tally::{PredictionError, Tally};
use crate::stream::api::Source;
use crate::stream::spec::TargetKind;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{State, StateError, Store, keep};

/// A learner under a protocol, with everything that it needs besides the rounds.
pub trait Player {
    /// Plays consecutive rounds; `predictions[i]` is for `block.inputs.row(i)`.
    ///
    /// # Errors
    /// As [`crate::learner::api::Learner::play`].
    fn play(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown>;

    /// What the learner would predict in this round at `x`. It learns nothing from being asked, and does not attend.
    fn predict(&self, round: u64, x: &[f64]) -> f64;

    /// What the learner holds and has spent.
    fn gauges(&self) -> Gauges;

    /// Whether it wants the inputs of all rounds before the first one.
    fn foresees(&self) -> bool {
        false
    }

    /// Shows the inputs of all rounds.
    ///
    /// # Errors
    /// As [`crate::learner::api::Learner::foresee`].
    fn foresee(&mut self, inputs: Rows<'_>) -> Result<(), Breakdown> {
        let _ = inputs;
        Ok(())
    }

    /// Noisy copies asked for so far, if the protocol has any.
    fn queries(&self) -> Option<u64> {
        None
    }

    /// Saves or loads what was learnt; runs of players that cannot are not kept.
    ///
    /// # Errors
    /// As [`State::state`].
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let _ = store;
        Err(StateError::Unsupported)
    }
}

/// How a run is played, and what is kept of it.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Number of rounds to play; fewer are played if the source ends before.
    pub horizon: u64,
    /// Where checkpoints are kept.
    pub grid: RoundGrid,
    /// The largest number of rounds per block; 0 means 1. Apart from rounding, results do not depend on it.
    pub block: usize,
    /// What targets are: errors of sign, or of class, are counted. The count of errors of sign is dropped if a target turns out
    /// to be neither -1 nor +1.
    pub targets: TargetKind,
    /// What a round costs.
    pub loss: Arc<dyn Loss>,
}

/// A good number of rounds per block: large enough for matrix products, small enough for the cache.
pub const BLOCK: usize = 256;

/// The most numbers in the inputs of a block of more than one round: 32 MiB.
const MOST_NUMBERS: usize = 1 << 22;

impl RunOptions {
    /// `horizon` rounds on the logarithmic grid, in blocks of [`BLOCK`], with the squared loss and without errors of
    /// sign.
    pub fn new(horizon: u64) -> Self {
        Self {
            horizon,
            grid: RoundGrid::default(),
            block: BLOCK,
            targets: TargetKind::Numbers,
            loss: Arc::new(Squared),
        }
    }
}

/// The run was interrupted; nothing of it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Why a run stops early. The round of [`RunStatus::Diverged`] follows from the tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// What happened, in words.
    pub cause: String,
}

/// A round that was scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Its number, from 1.
    pub round: u64,
    /// y_t.
    pub target: f64,
    /// The prediction for y_t.
    pub prediction: f64,
    /// Its loss.
    pub loss: f64,
    /// Sum of the losses up to this round.
    pub cumulative_loss: f64,
}

/// Plays `block` and scores it. `each` is called for every round that counts.
///
/// # Errors
/// Why the run ends in this block; the valid rounds before are counted.
pub fn play_and_score(
    player: &mut dyn Player,
    block: Block<'_>,
    predictions: &mut [f64],
    tally: &mut Tally,
    watch: &mut Stopwatch,
    mut each: impl FnMut(Scored),
) -> Result<(), Stop> {
    // A prediction that the learner does not make must not look like one.
    predictions.fill(f64::NAN);
    let outcome = watch.time(|| player.play(block, predictions));
    let valid = match &outcome {
        Ok(()) => predictions.len(),
        Err(breakdown) => breakdown.after.min(predictions.len()),
    };
    for (round, (&prediction, &target)) in (block.first_round..).zip(predictions.iter().zip(block.targets).take(valid))
    {
        // The cause of the learner's breakdown says more than what is wrong with its prediction.
        let why = |error: PredictionError| {
            outcome.as_ref().err().map_or_else(|| error.to_string(), |breakdown| breakdown.cause.clone())
        };
        let loss = tally.add(prediction, target).map_err(|error| Stop { cause: why(error) })?;
        each(Scored { round, target, prediction, loss, cumulative_loss: tally.loss() });
    }
    outcome.map_err(|breakdown| Stop { cause: breakdown.cause })
}

/// Collects the record of a run.
pub(crate) struct Recorder {
    pub(crate) tally: Tally,
    pub(crate) watch: Stopwatch,
    checkpoints: Vec<Checkpoint>,
    targets: TargetKind,
}

impl Recorder {
    pub(crate) fn new(options: &RunOptions) -> Self {
        Self {
            tally: Tally::new(options.loss.clone()),
            watch: Stopwatch::default(),
            checkpoints: Vec::new(),
            targets: options.targets,
        }
    }

    /// Keeps the present state as a checkpoint.
    pub(crate) fn checkpoint(&mut self, gauges: Gauges, queries: Option<u64>) {
        let spent = self.watch.spent();
        self.checkpoints.push(Checkpoint {
            t: self.tally.rounds(),
            cumulative_loss: self.tally.loss(),
            cumulative_error: match self.targets {
                TargetKind::Numbers => None,
                TargetKind::Signs => self.tally.errors(),
                TargetKind::Classes(_) => Some(self.tally.loss()),
            },
            comparator_loss: None,
            gauges,
            queries,
            cpu_ns: spent.cpu_ns,
            wall_ns: spent.wall_ns,
        });
    }

    /// Adds the loss of an adversary's comparator to the last checkpoint.
    pub(crate) fn compare(&mut self, comparator_loss: Option<f64>) {
        if let Some(last) = self.checkpoints.last_mut() {
            last.comparator_loss = comparator_loss;
        }
    }

    /// The record of a run that played all of its rounds.
    pub(crate) fn done(self) -> RunRecord {
        self.finish(RunStatus::Done)
    }

    /// The record of a run that stopped early.
    pub(crate) fn stopped(mut self, stop: Stop) -> RunRecord {
        let rounds = self.tally.rounds();
        if rounds > 0 && self.checkpoints.last().is_none_or(|last| last.t < rounds) {
            // How far in the block the learner has come depends on the size of blocks, so its gauges are not kept.
            self.checkpoint(Gauges::default(), None);
        }
        self.finish(RunStatus::Diverged { round: rounds + 1, cause: stop.cause })
    }

    fn finish(mut self, status: RunStatus) -> RunRecord {
        if self.targets == TargetKind::Signs && self.tally.errors().is_none() {
            self.checkpoints.iter_mut().for_each(|at| at.cumulative_error = None);
        }
        RunRecord { status, rounds: self.tally.rounds(), checkpoints: self.checkpoints, measures: BTreeMap::new() }
    }
}

impl State for Recorder {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: tally, watch; checkpoints, targets);
        store.within("checkpoints", |store| checkpoints_state(store, &mut self.checkpoints))
    }
}

/// The largest state that is kept while a run goes on, in bytes: a larger one takes longer to write than it saves.
const LARGEST_STATE: u64 = 64 << 20;

/// Saves or loads everything that a run has come to.
pub(crate) fn progress(store: &mut Store, recorder: &mut Recorder, player: &mut dyn Player) -> Result<(), StateError> {
    store.keep("run", recorder)?;
    store.within("learner", |store| player.state(store))
}

/// Plays `player` against `source`, drawing from `stream_draws`, from the round on that `recorder` has come to.
///
/// # Errors
/// [`Interrupted`] as soon as `supervisor` says so; it is asked before each block.
pub(crate) fn run(
    player: &mut dyn Player,
    source: &dyn Source,
    stream_draws: &Draws,
    options: &RunOptions,
    mut recorder: Recorder,
    supervisor: &dyn Supervisor,
) -> Result<RunRecord, Interrupted> {
    let horizon = source.rounds().map_or(options.horizon, |available| available.min(options.horizon));
    let dim = source.dim();
    let block = options.block.min(MOST_NUMBERS / dim.max(1)).max(1);
    let largest = block.min(usize::try_from(horizon).unwrap_or(block));
    let mut inputs = vec![0.0; largest * dim];
    let (mut targets, mut predictions) = (vec![0.0; largest], vec![0.0; largest]);
    let foresees = player.foresees();
    if foresees {
        let rounds = usize::try_from(horizon).unwrap_or(usize::MAX);
        let (mut all, mut unseen) = (vec![0.0; rounds * dim], vec![0.0; rounds]);
        source.fill(1, stream_draws, &mut all, &mut unseen);
        if let Err(Breakdown { cause, .. }) = recorder.watch.time(|| player.foresee(Rows::new(dim, &all))) {
            return Ok(recorder.stopped(Stop { cause }));
        }
    }
    let mut next = recorder.tally.rounds() + 1;
    let known = recorder.checkpoints.last().map_or(0, |last| last.t);
    for checkpoint in options.grid.rounds(horizon).into_iter().filter(|round| *round > known) {
        while next <= checkpoint {
            if supervisor.interrupted() {
                return Err(Interrupted);
            }
            // What a learner has foreseen is no part of its state.
            if !foresees && supervisor.due() && player.gauges().state_bytes.is_none_or(|bytes| bytes <= LARGEST_STATE) {
                let mut store = Store::saving();
                if progress(&mut store, &mut recorder, player).is_ok() {
                    supervisor.keep(store.into_arrays());
                }
            }
            let count = largest.min(usize::try_from(checkpoint - next + 1).unwrap_or(largest));
            let (inputs, targets) = (&mut inputs[..count * dim], &mut targets[..count]);
            source.fill(next, stream_draws, inputs, targets);
            let rounds = Block { first_round: next, inputs: Rows::new(dim, inputs), targets };
            let Recorder { tally, watch, .. } = &mut recorder;
            let outcome = play_and_score(player, rounds, &mut predictions[..count], tally, watch, |_| {});
            if let Err(stop) = outcome {
                return Ok(recorder.stopped(stop));
            }
            next += count as u64;
        }
        recorder.checkpoint(player.gauges(), player.queries());
    }
    Ok(recorder.done())
}
