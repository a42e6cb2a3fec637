//! Cells: what one run is made of, and how its random draws are keyed.

use std::num::NonZeroU32;
use std::sync::Arc;

use toml::Table;

use super::grid::at_horizon;
use super::stream::StreamSpec;
use crate::comparator::api::ComparatorEntry;
use crate::draw::Draws;
use crate::learner::api::{AnyLearner, Setting};
use crate::learner::registry::LearnerEntry;
use crate::params::{ParamError, Params, check};
use crate::parts::AllParts;

/// What regret is measured against: a comparator and its table, whose numbers may depend on the horizon.
#[derive(Debug)]
pub struct Comparison {
    /// Its registry entry.
    pub entry: &'static ComparatorEntry,
    /// Its parameters as given.
    pub table: Table,
}

impl Comparison {
    /// Its checked parameters at a horizon.
    pub fn at(&self, horizon: u64) -> Result<Params, ParamError> {
        let table = at_horizon(&self.table, horizon)
            .map_err(|field| ParamError::refused(field, "must be { horizon-power = a, factor = c }"))?;
        check(self.entry.params, &table, "", &AllParts)
    }
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
pub struct CellSpec {
    /// The learner.
    pub learner: &'static LearnerEntry,
    /// The curve it belongs to.
    pub label: Arc<str>,
    /// Checked parameters, formulas in the horizon evaluated.
    pub params: Arc<Params>,
    /// The parameters as configured: they key the learner's draws, so that horizons share them.
    pub configured: Arc<str>,
    /// What a full-information learner is shown on a stream with noise.
    pub feed: Feed,
    /// Index into the experiment's streams.
    pub stream: usize,
    /// Number of rounds.
    pub horizon: u64,
    /// Replicate, from 0.
    pub replicate: u32,
}

impl CellSpec {
    /// The learner's own draws.
    pub fn draws(&self, seed: u64, experiment: &str) -> Draws {
        Draws::named(&[
            "learner",
            &seed.to_string(),
            experiment,
            self.learner.name,
            &self.configured,
            &self.replicate.to_string(),
        ])
    }

    /// A fresh learner for this cell.
    pub fn build(&self, stream: &StreamSpec, seed: u64, experiment: &str) -> Result<AnyLearner, ParamError> {
        let setting = Setting { dim: stream.dim(), horizon: Some(self.horizon), draws: self.draws(seed, experiment) };
        (self.learner.build)(&self.params, &setting)
    }
}
