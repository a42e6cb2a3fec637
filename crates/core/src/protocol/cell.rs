//! Cells: what one run is made of, and how its random draws are keyed. Which protocol plays a cell, [`full`], [`noisy`]
//! or [`adversary`], is chosen by [`protocols`](crate::protocol::protocols).
//!
//! [`full`]: crate::protocol::full
//! [`noisy`]: crate::protocol::noisy
//! [`adversary`]: crate::protocol::adversary

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::json;

use crate::draw::Draws;
use crate::learner::api::{AnyLearner, Hypothesis, LearnerEntry, Setting};
use crate::loss::api::Loss;
use crate::params::entry::Chosen;
use crate::params::{ParamError, Params};
use crate::protocol::grid::Grid;
use crate::protocol::record::{Record, Status};
use crate::protocol::run::{Interrupted, Options};
use crate::protocol::score::final_measures;
use crate::stream::api::Source;
use crate::stream::spec::StreamSpec;
use crate::stream::table::Examples;

/// What all cells of an experiment share.
///
/// ```
/// use noregret_core::prelude::*;
/// use noregret_core::protocol::{cell::{Cell, Design, Feed}, protocols, record::Record};
/// use noregret_core::stream::spec::{Origin, StreamSpec};
///
/// let law = STREAMS.choose(&"name = \"uniform-inputs\"\ndim = 1".parse().unwrap(), None, "", &AllParts)?;
/// let stream = StreamSpec { origin: Origin::Law(law), noise: None, corruption: None, label: None };
/// # let played = |record: &Record| record.checkpoints.last().unwrap().cumulative_loss;
/// let loss = LOSSES.choose(&"name = \"squared\"".parse().unwrap(), None, "", &AllParts)?;
/// let design = Design { name: "demo".into(), seed: 1, streams: vec![stream], dense: false, test_rows: 100, loss };
/// let learner = LEARNERS.find("kernel-awv")?;
/// let params = check(learner.params, &Default::default(), "", &AllParts)?;
/// let cell = |replicate| Cell {
///     learner, label: "awv".into(), params: params.clone().into(), configured: params.draw_key().to_string().into(),
///     feed: Feed::Clean, stream: 0, horizon: 200, replicate,
/// };
/// let play = |cell: &Cell| design.play(cell, protocols::of(&design, cell), None, &|| false).unwrap();
/// assert_eq!(played(&play(&cell(0))), played(&play(&cell(0)))); // to the bit
/// assert_ne!(played(&play(&cell(0))), played(&play(&cell(1))));
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Debug)]
pub struct Design {
    /// The experiment's name, which keys its draws.
    pub name: String,
    /// Base seed: all draws are keyed by it.
    pub seed: u64,
    /// Where rounds come from.
    pub streams: Vec<StreamSpec>,
    /// Whether records hold every round instead of a logarithmic grid.
    pub dense: bool,
    /// Number of rounds after the horizon on which the final hypothesis is scored, clean.
    pub test_rows: u64,
    /// What a round costs.
    pub loss: Chosen<dyn Loss>,
}

/// What a full-information learner is shown on a stream with noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// The clean examples: the baseline that knows no noise.
    Clean,
    /// The mean of so many noisy copies of x_t, and one of y_t; one copy is the naive learner.
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
#[derive(Clone, Debug)]
pub struct Cell {
    /// The learner.
    pub learner: &'static LearnerEntry,
    /// The curve it belongs to in figures; its numbers do not depend on it.
    pub label: Arc<str>,
    /// Checked parameters, formulas in the horizon evaluated.
    pub params: Arc<Params>,
    /// The parameters as configured: they key the learner's draws, so that horizons share them.
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
    /// Its dataset is not at hand.
    #[error("its prepared data were not made")]
    NoData,
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
    pub play: fn(&Play<'_>, AnyLearner) -> Result<Record, CellError>,
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
    pub options: Options,
    /// The draws of the clean rounds.
    pub stream_draws: Draws,
    /// The learner's own draws.
    pub learner_draws: Draws,
    /// Whether to stop; asked before each block.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Design {
    /// The canonical form of everything that distinguishes a cell, but its code and its data. Equal forms give equal
    /// records.
    pub fn canonical(&self, cell: &Cell) -> String {
        self.canonical_with(
            cell,
            &cell.params.canonical().to_string(),
            &self.streams[cell.stream].canonical().to_string(),
        )
    }

    /// [`Design::canonical`] with the texts of its two largest parts, which many cells share. Fields stand in
    /// alphabetical order.
    pub fn canonical_with(&self, cell: &Cell, params: &str, stream: &str) -> String {
        format!(
            r#"{{"configured":{},"copies":{},"dense":{},"experiment":{},"horizon":{},"learner":{},"loss":{},"parameters":{params},"replicate":{},"seed":{},"stream":{stream},"test_rows":{}}}"#,
            json!(*cell.configured),
            cell.feed.copies(),
            self.dense,
            json!(self.name),
            cell.horizon,
            json!(cell.learner.name),
            self.loss.part.canonical(),
            cell.replicate,
            self.seed,
            self.test_rows,
        )
    }

    /// The modules that a cell selects: learner, loss, stream, and their nested parts. For code identity; its protocol
    /// comes beside.
    pub fn modules(&self, cell: &Cell) -> Vec<&'static str> {
        let mut modules = vec![cell.learner.module];
        modules.extend(cell.params.modules());
        modules.extend(self.loss.part.modules());
        modules.extend(self.streams[cell.stream].modules());
        if cell.feed != Feed::Clean {
            modules.extend(self.streams[cell.stream].noise_modules());
        }
        modules
    }

    /// The learner's own draws.
    pub fn draws(&self, cell: &Cell) -> Draws {
        Draws::named(&[
            "learner",
            &self.seed.to_string(),
            &self.name,
            cell.learner.name,
            &cell.configured,
            &cell.replicate.to_string(),
        ])
    }

    /// The draws of the clean rounds of a stream on one replicate.
    pub fn stream_draws(&self, stream: usize, replicate: u32) -> Draws {
        self.streams[stream].draws(self.seed, &self.name, replicate)
    }

    /// A fresh learner for a cell.
    ///
    /// # Errors
    /// Parameters that do not fit the stream.
    pub fn learner(&self, cell: &Cell) -> Result<AnyLearner, ParamError> {
        let dim = self.streams[cell.stream].dim();
        let setting = Setting { dim, horizon: Some(cell.horizon), draws: self.draws(cell) };
        (cell.learner.build.learner)(&cell.params, &setting)
    }

    /// Plays a cell under `protocol`; `table` holds the prepared dataset of its stream, where that is one.
    ///
    /// # Errors
    /// See [`CellError`]. A learner that breaks down is none: the record says so.
    pub fn play(
        &self,
        cell: &Cell,
        protocol: &Protocol,
        table: Option<Arc<Examples>>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Record, CellError> {
        let stream = &self.streams[cell.stream];
        let play = Play {
            design: self,
            cell,
            stream,
            table,
            options: Options {
                grid: if self.dense { Grid::Dense } else { Grid::default() },
                classification: stream.is_classification(),
                loss: self.loss.object.clone(),
                ..Options::new(cell.horizon)
            },
            stream_draws: self.stream_draws(cell.stream, cell.replicate),
            learner_draws: self.draws(cell),
            interrupted,
        };
        (protocol.play)(&play, self.learner(cell)?)
    }
}

impl Play<'_> {
    /// The rounds.
    ///
    /// # Errors
    /// A dataset that is not at hand.
    pub fn source(&self) -> Result<Arc<dyn Source>, CellError> {
        self.stream.source(&self.stream_draws, self.table.clone()).ok_or(CellError::NoData)
    }

    /// The record with what is said of the final hypothesis, if all rounds were played.
    pub fn measured(&self, mut record: Record, source: &dyn Source, hypothesis: &dyn Hypothesis) -> Record {
        if record.status == Status::Done {
            let (stream, learner) = (&self.stream_draws, &self.learner_draws);
            record.measures = final_measures(hypothesis, source, stream, learner, record.rounds, self.design.test_rows);
        }
        record
    }
}
