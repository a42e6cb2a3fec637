//! The full-information protocol: in round t the learner sees x_t, predicts, then sees y_t.

use crate::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner};
use crate::protocol::cell::{CellError, Play, Protocol};
use crate::protocol::record::RunRecord;
use crate::protocol::run::{Interrupted, Player, Recorder, RunOptions, progress, run};
use crate::protocol::supervisor::Supervisor;
use crate::stream::api::Source;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

/// A learner with its own random draws.
pub struct FullPlayer<'a> {
    learner: &'a mut dyn Learner,
    draws: &'a Draws,
    /// What it knew when it predicted the row that it learns late.
    context: Option<&'a [f64]>,
    /// That of each round.
    weight: f64,
}

impl<'a> FullPlayer<'a> {
    /// `learner`, drawing from `draws`.
    pub fn new(learner: &'a mut dyn Learner, draws: &'a Draws) -> Self {
        Self::weighted(learner, draws, 1.0)
    }

    /// `learner`, for which each round has this weight ([`Learner::play_weighted`]).
    pub fn weighted(learner: &'a mut dyn Learner, draws: &'a Draws, weight: f64) -> Self {
        Self { learner, draws, context: None, weight }
    }

    /// `learner`, which learns one row that was predicted earlier, in a context ([`Hypothesis::context`]); what it plays as the
    /// prediction means nothing.
    ///
    /// [`Hypothesis::context`]: crate::learner::api::Hypothesis::context
    pub fn late(learner: &'a mut dyn Learner, draws: &'a Draws, context: &'a [f64]) -> Self {
        Self { context: Some(context), ..Self::new(learner, draws) }
    }

    /// What the learner has come to.
    pub(crate) fn hypothesis(&self) -> &dyn Hypothesis {
        &*self.learner
    }
}

impl Player for FullPlayer<'_> {
    fn play(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Some(context) = self.context else {
            return match self.weight {
                1.0 => self.learner.play(block, self.draws, predictions),
                weight => {
                    self.learner.play_weighted(block, &vec![weight; block.targets.len()], self.draws, predictions)
                }
            };
        };
        predictions.copy_from_slice(block.targets);
        self.learner.learn_late(block, context, self.draws)
    }

    fn predict(&self, round: u64, x: &[f64]) -> f64 {
        self.learner.predict(x, &mut self.draws.at(Role::Predict, round))
    }

    fn foresees(&self) -> bool {
        self.learner.foresees()
    }

    fn foresee(&mut self, inputs: Rows<'_>) -> Result<(), Breakdown> {
        self.learner.foresee(inputs, self.draws)
    }

    fn gauges(&self) -> Gauges {
        self.learner.gauges()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.learner.state(store)
    }
}

/// Plays `learner` against `source`.
///
/// # Errors
/// [`Interrupted`] as soon as `supervisor` says so; it is asked before each block.
///
/// ```
/// use noregret_core::{prelude::*, protocol::{full, record::RunStatus}};
///
/// let stream = json!({ "name": "uniform-inputs", "dim": 2 });
/// let source = STREAMS.choose(&stream, None, "", &AllParts)?.object;
/// let entry = LEARNERS.find("pkawv-taylor")?;
/// let params = check(entry.params, &json!({ "lambda": 0.1, "order": 4 }), "", &AllParts)?;
/// let (stream, own) = (Draws::named(&["stream"]), Draws::named(&["learner"]));
/// let setting = Setting { dim: 2, horizon: Some(300), draws: own.clone() };
/// let AnyLearner::Full(mut learner) = (entry.build.learner)(&params, &setting)? else { unreachable!() };
/// let record = full::play(&mut *learner, &*source, &stream, &own, &RunOptions::new(300), &|| false).unwrap();
/// let loss = |t| record.checkpoints.iter().find(|at| at.t == t).unwrap().cumulative_loss;
/// assert_eq!((record.status, record.rounds), (RunStatus::Done, 300));
/// assert!(loss(300) >= loss(100));
/// # Ok::<(), ParamError>(())
/// ```
pub fn play(
    learner: &mut dyn Learner,
    source: &dyn Source,
    stream_draws: &Draws,
    learner_draws: &Draws,
    options: &RunOptions,
    supervisor: &dyn Supervisor,
) -> Result<RunRecord, Interrupted> {
    let (mut player, recorder) = (FullPlayer::new(learner, learner_draws), Recorder::new(options));
    run(&mut player, source, stream_draws, options, recorder, supervisor)
}

/// The protocol of cells whose full-information learners are shown the clean examples.
pub static PROTOCOL: Protocol = Protocol { module: module_path!(), play: play_cell };

fn play_cell(cell: &Play<'_>, learner: AnyLearner) -> Result<RunRecord, CellError> {
    let AnyLearner::Full(mut learner) = learner else {
        return Err(CellError::OtherProtocol(cell.cell.learner.name));
    };
    let source = cell.source()?;
    let (stream, own) = (&cell.stream_draws, &cell.learner_draws);
    let (mut player, mut recorder) = (FullPlayer::new(&mut *learner, own), Recorder::new(&cell.options));
    if let Some(arrays) = cell.supervisor.kept() {
        let mut store = Store::loading(arrays);
        progress(&mut store, &mut recorder, &mut player).and_then(|()| store.finish()).map_err(CellError::Kept)?;
    }
    let record = run(&mut player, &*source, stream, &cell.options, recorder, cell.supervisor)?;
    Ok(cell.measured(record, &*source, &*learner))
}
