//! Parameters that an experiment chooses among candidates, on other orders of the rows.

pub mod compute;
pub(crate) mod declare;
pub(crate) mod stage;
