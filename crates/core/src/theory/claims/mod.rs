//! What the theorems say in full, one file per paper and one item per theorem, which [`crate::theory::statements`] holds.

pub mod api;
pub mod cost;
pub mod forecasts;
pub mod further;
pub mod iln;
pub mod noisy;
pub mod pkawv;
pub mod robust;
pub mod tracking;
