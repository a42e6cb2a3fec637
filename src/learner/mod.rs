//! Learners: one file each, joined in [`registry`]. A learner's file holds its parameters, its mathematics with
//! the source, and its tests against that mathematics.

pub mod api;
pub mod registry;
