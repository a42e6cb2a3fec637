//! Rows of the table of rates. [`noregret_report::analysis::rate::file`] declares them.

pub mod compute;
pub(crate) mod control;
pub mod design;
pub(crate) mod setups;
pub(crate) mod stage;
