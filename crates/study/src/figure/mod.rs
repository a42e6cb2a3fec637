//! Pictures, with what they show of runs, of solutions in hindsight, and of functions.

pub mod compute;
pub(crate) mod declare;
pub(crate) mod stage;
