//! What the theorems say in full, one file per paper and one item per theorem, which [`crate::theory::statements`] holds.

pub mod api;
pub(crate) mod cost;
pub(crate) mod forecasts;
pub(crate) mod further;
pub(crate) mod iln;
pub(crate) mod noisy;
pub(crate) mod pkawv;
pub(crate) mod robust;
pub(crate) mod tracking;
