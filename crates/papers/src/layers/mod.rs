//! Learning infinite-layer networks: neurons drawn from a law.

pub(crate) mod applied;
pub(crate) mod claims;
pub(crate) mod errata;
pub(crate) mod guarantees;
pub(crate) mod theorems;
