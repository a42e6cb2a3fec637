//! The theorems of each paper applied to runs: constants of bounds and conditions, from a [`Case`](super::case::Case).

pub mod iln;
pub mod noisy;
pub mod pkawv;
pub mod robust;
