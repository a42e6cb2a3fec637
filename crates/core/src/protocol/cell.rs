//! Cells: what one run is made of, and how the draws of its learner are keyed. [`protocols`](crate::protocol::protocols)
//! chooses which protocol plays a cell: [`full`], [`noisy`] or [`adversary`].
//!
//! [`full`]: crate::protocol::full
//! [`noisy`]: crate::protocol::noisy
//! [`adversary`]: crate::protocol::adversary

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::json;

use crate::epoch::Scales;
use crate::learner::api::{AnyLearner, Cost, Hypothesis, Learner, LearnerEntry, Setting};
use crate::learner::classes::{Classes, Misclassified};
use crate::learner::over_epochs::OverEpochs;
use crate::params::{ParamError, Params};
use crate::protocol::design::Design;
use crate::protocol::grid::RoundGrid;
use crate::protocol::record::{RunRecord, RunStatus};
use crate::protocol::run::{Interrupted, RunOptions};
use crate::protocol::score::final_measures;
use crate::protocol::supervisor::Supervisor;
use crate::stream::api::Source;
use crate::stream::spec::{StreamSpec, TargetKind};
use crate::stream::table::Examples;
use noregret_numeric::draw::Draws;
use noregret_numeric::state::StateError;

/// What a full-information learner is shown on a stream with noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// The clean examples: the baseline without noise.
    Clean,
    /// The mean of this many noisy copies of x_t, and one copy of y_t. With one copy it is the naive learner.
    Copies(NonZeroU32),
}

impl Feed {
    /// Copies of x_t per round; 0 stands for the clean example.
    pub fn copies(self) -> u32 {
        match self {
            Feed::Clean => 0,
            Feed::Copies(copies) => copies.get(),
        }
    }
}

/// One run: learner, parameters, stream, horizon and replicate.
///
/// ```
/// use noregret_core::prelude::*;
/// use noregret_core::protocol::{cell::{Cell, Feed}, design::Design, protocols, record::RunRecord};
/// use noregret_core::stream::spec::{Origin, StreamSpec};
///
/// let law = STREAMS.choose(&json!({ "name": "uniform-inputs", "dim": 1 }), None, "", &AllParts)?;
/// let stream = StreamSpec { origin: Origin::Law(law), noise: None, corruption: None, label: None };
/// # let played = |record: &RunRecord| record.checkpoints.last().unwrap().cumulative_loss;
/// let loss = LOSSES.choose(&json!({ "name": "squared" }), None, "", &AllParts)?;
/// let design = Design { name: "demo".into(), seed: 1, streams: vec![stream], dense: false, test_rows: 100, loss };
/// let learner = LEARNERS.find("kernel-awv")?;
/// let params = check(learner.params, &json!({}), "", &AllParts)?;
/// let cell = |replicate| Cell {
///     learner, label: "awv".into(), params: params.clone().into(), configured: params.canonical().to_string().into(),
///     feed: Feed::Clean, stream: 0, horizon: 200, replicate,
/// };
/// let play = |cell: &Cell| cell.play(&design, protocols::of(&design, cell), None, &|| false).unwrap();
/// assert_eq!(played(&play(&cell(0))), played(&play(&cell(0)))); // to the bit
/// assert_ne!(played(&play(&cell(0))), played(&play(&cell(1))));
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cell {
    /// The learner.
    pub learner: &'static LearnerEntry,
    /// The curve that it belongs to in figures. Its numbers do not depend on this.
    pub label: Arc<str>,
    /// Checked parameters, with formulas in the horizon evaluated.
    pub params: Arc<Params>,
    /// The parameters as configured: formulas in the horizon are formulas.
    pub configured: Arc<str>,
    /// What a full-information learner is shown on a stream with noise.
    pub feed: Feed,
    /// Index into the design's streams.
    pub stream: usize,
    /// Number of rounds.
    pub horizon: u64,
    /// Replicate, from 0.
    pub replicate: u32,
}

/// Why a cell has no record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CellError {
    /// Its parameters do not fit its stream.
    #[error(transparent)]
    Parameter(#[from] ParamError),
    /// Its learner cannot play under its protocol (one made for noisy copies, on a stream without noise).
    #[error("{0} does not play the protocol of its stream")]
    OtherProtocol(&'static str),
    /// The prepared rows of its dataset are missing.
    #[error("its prepared data were not made")]
    NoData,
    /// What an earlier attempt kept does not fit.
    #[error("what an earlier attempt kept cannot be gone on with: {0}")]
    Kept(StateError),
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl From<Interrupted> for CellError {
    fn from(_: Interrupted) -> Self {
        CellError::Interrupted
    }
}

/// How cells of one kind are played: one of [`protocols`](crate::protocol::protocols).
#[derive(Debug)]
pub struct Protocol {
    /// The module that plays, for code identity.
    pub module: &'static str,
    /// Plays a cell.
    pub play: fn(&Play<'_>, AnyLearner) -> Result<RunRecord, CellError>,
}

/// A cell that is about to be played.
pub struct Play<'a> {
    /// What all cells share.
    pub design: &'a Design,
    /// The cell.
    pub cell: &'a Cell,
    /// Its stream.
    pub stream: &'a StreamSpec,
    /// The prepared dataset, for streams that have one.
    pub table: Option<Arc<Examples>>,
    /// How it is played.
    pub options: RunOptions,
    /// The draws of the clean rounds.
    pub stream_draws: Draws,
    /// The learner's own draws.
    pub learner_draws: Draws,
    /// Whether to stop, and what to keep.
    pub supervisor: &'a dyn Supervisor,
}

impl Cell {
    /// The canonical form of everything that distinguishes a cell, except its code and its data. Cells with equal forms
    /// have equal records.
    pub fn canonical(&self, design: &Design) -> String {
        self.canonical_with(
            design,
            &self.params.canonical().to_string(),
            &design.streams[self.stream].canonical().to_string(),
        )
    }

    /// [`Cell::canonical`], given the texts of its two largest parts, which many cells share. Fields are in alphabetical
    /// order.
    pub fn canonical_with(&self, design: &Design, params: &str, stream: &str) -> String {
        format!(
            r#"{{"configured":{},"copies":{},"dense":{},"experiment":{},"horizon":{},"learner":{},"loss":{},"parameters":{params},"replicate":{},"seed":{},"stream":{stream},"test_rows":{}}}"#,
            json!(*self.configured),
            self.feed.copies(),
            design.dense,
            json!(design.name),
            self.horizon,
            json!(self.learner.name),
            design.loss.part.canonical(),
            self.replicate,
            design.seed,
            design.test_rows,
        )
    }

    /// The modules of the members that the cell selects, for code identity: learner, loss, stream, and their nested parts.
    /// The module of its protocol is not among them.
    pub fn modules(&self, design: &Design) -> Vec<&'static str> {
        let stream = &design.streams[self.stream];
        let mut modules = vec![self.learner.module];
        modules.extend(self.params.modules());
        modules.extend(design.loss.part.modules());
        modules.extend(stream.modules());
        if self.feed != Feed::Clean {
            modules.extend(stream.noise_modules());
        }
        modules
    }

    /// The learner's own draws: one family for each learner, replicate and choice of the parameters that shape them. The
    /// other parameters, the horizon and the stream share it.
    pub(crate) fn draws(&self, design: &Design) -> Draws {
        Draws::named(&[
            "learner",
            &design.seed.to_string(),
            &design.name,
            self.learner.name,
            &self.learner.draw_key(&self.params).to_string(),
            &self.replicate.to_string(),
        ])
    }

    /// A fresh learner, as it is on the scales of its inputs and targets.
    ///
    /// # Errors
    /// Parameters that do not fit the stream.
    pub fn learner(&self, design: &Design) -> Result<AnyLearner, ParamError> {
        (self.learner.build.learner)(&self.params, &self.setting(design))
    }

    fn setting(&self, design: &Design) -> Setting {
        let dim = design.streams[self.stream].dim();
        Setting { dim, horizon: Some(self.horizon), draws: self.draws(design) }
    }

    /// About what it costs with these parameters: what its learner does, and epochs add.
    pub fn cost(&self, design: &Design, params: &Params) -> Cost {
        let stream = &design.streams[self.stream];
        let cost = (self.learner.build.cost)(params, self.horizon, stream.dim());
        if stream.epochs() == Scales::default() {
            return cost;
        }
        let rows = self.horizon.min(OverEpochs::most(stream.dim()) as u64);
        // Learners are made anew from up to twice as many rows as they play, and these are kept.
        Cost { flops: 3.0 * cost.flops, bytes: cost.bytes + 8.0 * rows as f64 * (stream.dim() as f64 + 1.0) }
    }

    /// The learner that plays: over epochs, where its stream has these, and one of classes, where its targets are such.
    fn player(&self, design: &Design, table: Option<&Examples>) -> Result<AnyLearner, ParamError> {
        let stream = &design.streams[self.stream];
        let quantities = table.map_or_else(|| vec![true; stream.dim()], |table| table.quantities().to_vec());
        let (entry, params, setting) = (self.learner, self.params.clone(), self.setting(design));
        let (draws, epochs) = (setting.draws.clone(), stream.epochs());
        let build = move || scaled(entry, &params, &setting, epochs, &quantities);
        let TargetKind::Classes(classes) = stream.targets() else { return build() };
        let mut first = full(build()?)?;
        if first.plays_classes(classes) {
            return Ok(AnyLearner::Full(first));
        }
        let each = Box::new(move || full(build()?));
        Ok(AnyLearner::Full(Box::new(Classes::new(each, draws, stream.dim(), classes)?)))
    }

    /// Plays the cell under `protocol`; `table` holds the prepared dataset if its stream is one.
    ///
    /// # Errors
    /// See [`CellError`]. A learner that breaks down is not an error: the record says so.
    pub fn play(
        &self,
        design: &Design,
        protocol: &Protocol,
        table: Option<Arc<Examples>>,
        supervisor: &dyn Supervisor,
    ) -> Result<RunRecord, CellError> {
        let stream = &design.streams[self.stream];
        let play = Play {
            design,
            cell: self,
            stream,
            table,
            options: RunOptions {
                grid: if design.dense { RoundGrid::Dense } else { RoundGrid::default() },
                targets: stream.targets(),
                loss: match stream.targets() {
                    TargetKind::Classes(_) => Arc::new(Misclassified),
                    TargetKind::Numbers | TargetKind::Signs => design.loss.object.clone(),
                },
                ..RunOptions::new(self.horizon)
            },
            stream_draws: design.stream_draws(self.stream, self.replicate),
            learner_draws: self.draws(design),
            supervisor,
        };
        let learner = self.player(design, play.table.as_deref())?;
        (protocol.play)(&play, learner)
    }
}

/// The learner as it is on the scales of epochs, as far as it is scalable.
fn scaled(
    entry: &'static LearnerEntry,
    params: &Arc<Params>,
    setting: &Setting,
    epochs: Scales,
    quantities: &[bool],
) -> Result<AnyLearner, ParamError> {
    let scales = match (entry.build.learner)(params, setting)? {
        AnyLearner::Full(learner) if learner.scalable().and(epochs) != Scales::default() => {
            learner.scalable().and(epochs)
        }
        other => return Ok(other),
    };
    let (params, setting, draws) = (params.clone(), setting.clone(), setting.draws.clone());
    let build = move || full((entry.build.learner)(&params, &setting)?);
    Ok(AnyLearner::Full(Box::new(OverEpochs::new(Box::new(build), draws, quantities, scales)?)))
}

/// The learner, which must learn from clean examples.
fn full(learner: AnyLearner) -> Result<Box<dyn Learner>, ParamError> {
    match learner {
        AnyLearner::Full(learner) => Ok(learner),
        AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "it learns from noisy copies only")),
    }
}

impl Play<'_> {
    /// The rounds.
    ///
    /// # Errors
    /// The prepared rows of the dataset are missing.
    pub(crate) fn source(&self) -> Result<Arc<dyn Source>, CellError> {
        self.stream.source(self.cell.horizon, &self.stream_draws, self.table.clone()).ok_or(CellError::NoData)
    }

    /// The record with the measures of the final hypothesis, if all rounds were played.
    pub(crate) fn measured(
        &self,
        mut record: RunRecord,
        source: &dyn Source,
        hypothesis: &dyn Hypothesis,
    ) -> RunRecord {
        if record.status == RunStatus::Done {
            let (stream, learner) = (&self.stream_draws, &self.learner_draws);
            record.measures = final_measures(hypothesis, source, stream, learner, record.rounds, self.design.test_rows);
        }
        record
    }
}
