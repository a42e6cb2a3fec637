//! What all cells of an experiment share, and the draws of its streams. This file imports neither learners nor
//! protocols, because comparators use it: a change in how cells are played does not make them stale.

use crate::loss::api::Loss;
use crate::params::entry::Chosen;
use crate::stream::spec::StreamSpec;
use noregret_numeric::draw::Draws;

/// What all cells of an experiment share; [`Cell`](crate::protocol::cell::Cell) has an example.
#[derive(Clone, Debug)]
pub struct Design {
    /// The experiment's name, which keys its draws.
    pub name: String,
    /// The base seed, which keys all draws.
    pub seed: u64,
    /// Where rounds come from.
    pub streams: Vec<StreamSpec>,
    /// Whether records hold every round instead of a logarithmic grid.
    pub dense: bool,
    /// Number of clean rounds after the horizon on which the final hypothesis is scored.
    pub test_rows: u64,
    /// What a round costs.
    pub loss: Chosen<dyn Loss>,
}

impl Design {
    /// The draws of the clean rounds of a stream on one replicate.
    pub fn stream_draws(&self, stream: usize, replicate: u32) -> Draws {
        self.streams[stream].draws(self.seed, &self.name, replicate)
    }
}
