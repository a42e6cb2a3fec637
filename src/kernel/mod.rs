//! Kernels: one file each, joined in [`registry`].

pub mod api;
pub mod distance;
pub mod gaussian;
pub mod laplace;
pub mod linear;
pub mod periodic_power;
pub mod polynomial;
pub mod registry;
pub mod sobolev_periodic;
