//! The runs table and the traces of an experiment, and what reads them back.

pub mod compute;
pub mod read;
pub mod runs;
pub(crate) mod stage;
