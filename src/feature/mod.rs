//! Explicit feature maps: finite-dimensional stand-ins for a kernel's feature space.

pub mod api;
pub mod fourier;
pub mod taylor;
