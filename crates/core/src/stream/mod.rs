//! Streams: where rounds come from. Synthetic laws, one file each, are listed in [`STREAMS`]; [`table`] plays a dataset
//! in memory.

use crate::params::entry::Build;
use crate::params::registry::members;

pub mod api;
pub(crate) mod coin_labels;
pub mod corruption;
pub(crate) mod moving_function;
pub mod spec;
pub mod table;

members! {
    /// Every synthetic law.
    STREAMS: Build<dyn api::Source> = "law": circle, forecasts, gaussian_inputs, infinite_layer, kernel_function, one_copy_game, orthogonal, periodic_spline, rotating_function, switching_function, uniform_inputs
}

members! {
    /// Every stream that reacts to the learner. Configuration names them like laws.
    ADVERSARIES: api::BuildAdversary = "law": contrary_adversary, greedy_adversary
}

#[cfg(test)]
mod tests;
