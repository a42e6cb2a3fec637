//! The theorems: one file per paper and one item per theorem, listed in [`crate::theory::registry`].

pub(crate) mod cost;
pub(crate) mod forecasts;
pub(crate) mod further;
pub(crate) mod iln;
pub(crate) mod noisy;
pub(crate) mod pkawv;
pub(crate) mod robust;
pub(crate) mod tracking;
