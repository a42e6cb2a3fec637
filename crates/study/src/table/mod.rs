//! Tables. [`noregret_report::table::api`] declares them.

pub(crate) mod stage;
