//! What learners are said to cost where no theorem covers it.

pub(crate) mod claims;
pub(crate) mod theorems;
