//! What figures declare to be solved and evaluated.

pub(crate) mod functions;
pub(crate) mod hindsight;
