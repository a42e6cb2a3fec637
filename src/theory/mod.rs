//! Bounds of theorems as functions: one file per paper, one function per bound.

pub mod noisy;
pub mod one_copy;
pub mod robust;
