//! What regret is measured against: the best fixed function in hindsight, and the quantities that bound regret.

pub mod api;
pub mod convex;
pub mod effective_dimension;
pub mod low_rank;
pub mod norm_ball;
pub mod penalised;
pub mod penalty;
pub mod registry;
