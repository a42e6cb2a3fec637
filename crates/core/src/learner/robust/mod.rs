//! Robust losses.
//!
//! [`step`] has their windows, scales and step sizes.

use crate::learner::api;
use crate::params::registry::members;

pub mod step;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": robust_ogd, robust_batch
}
