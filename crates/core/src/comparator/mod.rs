//! Comparators: the best fixed function in hindsight, against which regret is measured, and quantities that bound
//! regret.

use crate::params::registry::members;

pub mod api;
pub mod convex;
pub mod effective_dimension;
pub mod experts;
pub(crate) mod lanczos;
pub mod low_rank;
pub mod paths;
pub(crate) mod penalty;
pub(crate) mod taylor;

members! {
    /// Every comparator.
    COMPARATORS: api::BuildComparator = "comparator": penalised, norm_ball, taylor_ball, law, best_expert, best_convex, best_linear, best_shifts, best_segments, smooth_path
}
