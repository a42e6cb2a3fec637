//! What has to be beaten.
//!
//! [`blind`] has rules that look at targets alone, [`nearest`] means over the nearest rows.

use crate::learner::api;
use crate::params::registry::members;

pub(crate) mod blind;
pub(crate) mod nearest;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": constant, running_mean, last_value, majority, neighbours
}
