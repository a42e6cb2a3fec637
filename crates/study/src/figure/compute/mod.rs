//! What figures solve and evaluate themselves.

pub mod function;
pub mod hindsight;
