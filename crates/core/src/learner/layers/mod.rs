//! Infinite-layer networks, from sampled neurons.
//!
//! [`draw_count`], [`layer_weights`] and [`sampled_coefficients`] (coefficients that shrink together, and draws in proportion to
//! them) are its parts.

use crate::learner::api;
use crate::params::registry::members;

pub mod draw_count;
pub(crate) mod layer_weights;
pub mod sampled_coefficients;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": shrinking_gradient, doubly_stochastic, kitchen_sinks
}
