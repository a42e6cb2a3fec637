//! Optimality of robust online learning: kernel regression with robust losses.

pub mod applied;
pub mod claims;
pub mod errata;
pub mod statements;
