//! The theorems: one file per paper and one item per theorem, listed in [`crate::theory::registry`].

pub mod cost;
pub mod forecasts;
pub mod further;
pub mod iln;
pub mod noisy;
pub mod pkawv;
pub mod robust;
pub mod tracking;
