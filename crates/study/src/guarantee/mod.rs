//! Guarantees: what theorems promise of every run, held against each.

pub mod compute;
pub(crate) mod stage;
