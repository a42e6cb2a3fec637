//! Kernels: one file each, joined in [`registry`].

pub mod angle;
pub mod api;
pub mod arc_cosine;
pub mod arcsine;
pub mod binomial;
pub mod distance;
pub mod exponential;
pub mod gaussian;
pub mod infinite_layer;
pub mod inverse_multiquadric;
pub mod laplace;
pub mod linear;
pub mod matern;
pub mod mixture;
pub mod panels;
pub mod periodic_power;
pub mod polynomial;
pub mod rational;
pub mod registry;
pub mod sobolev_periodic;
pub mod surrogate;
pub mod tensors;
