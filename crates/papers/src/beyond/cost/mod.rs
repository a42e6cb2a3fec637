//! What learners are said to cost where no theorem covers it.

pub mod claims;
pub mod statements;
