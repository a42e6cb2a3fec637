//! A stream with corrupted targets.

use std::sync::Arc;

use crate::learner::api::Hypothesis;
use crate::stream::api::Source;
use crate::stream::corruption::api::Corruption;
use noregret_numeric::draw::{Draws, Role};

/// `inner` with a corruption of the target of each round. Inputs and corruption depend on the round and the
/// stream's draws alone, so that laws of corruption are compared on the same rounds. [`Source::clean`] gives targets
/// without corruption.
pub(crate) struct Corrupted {
    inner: Arc<dyn Source>,
    law: Arc<dyn Corruption>,
}

impl Corrupted {
    /// `inner`, with its targets corrupted by `law`.
    pub(crate) fn new(inner: Arc<dyn Source>, law: Arc<dyn Corruption>) -> Self {
        Self { inner, law }
    }
}

impl Source for Corrupted {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn rounds(&self) -> Option<u64> {
        self.inner.rounds()
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        self.law.corrupt(round, self.inner.example(round, draws, x), &mut draws.at(Role::Corruption, round))
    }

    fn clean(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        self.inner.clean(round, draws, x)
    }

    fn mean(&self, round: u64, draws: &Draws, x: &[f64]) -> Option<f64> {
        self.inner.mean(round, draws, x)
    }

    fn measures(&self, hypothesis: &dyn Hypothesis, draws: &Draws) -> Vec<(&'static str, f64)> {
        self.inner.measures(hypothesis, draws)
    }
}
