//! What all cells of an experiment share, and the draws of its streams. Comparators need this and no cell: it imports
//! neither learners nor protocols.

use crate::draw::Draws;
use crate::loss::api::Loss;
use crate::params::entry::Chosen;
use crate::stream::spec::StreamSpec;

/// What all cells of an experiment share; [`Cell`](crate::protocol::cell::Cell) has an example.
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

impl Design {
    /// The draws of the clean rounds of a stream on one replicate.
    pub fn stream_draws(&self, stream: usize, replicate: u32) -> Draws {
        self.streams[stream].draws(self.seed, &self.name, replicate)
    }
}
