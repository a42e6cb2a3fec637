//! Theorems as functions: bounds with their constants and the parameters that the papers prescribe, one file per paper.

pub mod iln;
