//! The pages.

pub(crate) mod stage;
