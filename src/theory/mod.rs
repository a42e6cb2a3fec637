//! Bounds of theorems as functions: one file or folder per paper.

pub mod robust;
