//! Bounds of theorems as functions of what they name: one file per paper.

pub mod pkawv;
