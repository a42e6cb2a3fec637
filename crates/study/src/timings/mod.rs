//! Measured times, kept apart from results.

pub(crate) mod stage;
