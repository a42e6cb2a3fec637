//! One prediction, or an interval, from those of others.
//!
//! [`aggregation`] (weights of forecasts), [`interval_rule`] (radii that keep their coverage), [`experts`] (learners whose
//! forecasts are combined) and [`mixture`] (exponential weights over them) are shared.

use crate::learner::api;
use crate::params::registry::members;

pub mod aggregation;
pub(crate) mod experts;
pub mod interval_rule;
pub mod mixture;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": expert_mixture, aggregate, intervals, discount_mixture, model_averaging, ahead
}
