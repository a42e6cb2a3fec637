//! Kernels: one file each, joined in [`registry`].

pub mod angle;
pub mod api;
pub mod arc_cosine;
pub mod arcsine;
pub mod distance;
pub mod gaussian;
pub mod infinite_layer;
pub mod laplace;
pub mod linear;
pub mod polynomial;
pub mod registry;
pub mod sobolev_periodic;
