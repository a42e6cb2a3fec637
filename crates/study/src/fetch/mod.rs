//! The raw files of datasets, in place and verified.

pub(crate) mod stage;
