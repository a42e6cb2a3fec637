//! Bounds of theorems as functions, and what the theorems claim about rates.

pub mod api;
pub mod registry;
pub mod statements;
