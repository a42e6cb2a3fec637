//! Feature maps: finite-dimensional stand-ins for a kernel's feature space ([`taylor`], [`fourier`], [`low_rank`]), and
//! the families of neurons psi(x; w), w ~ mu, of infinite-layer networks ([`family`]; one file each, joined in
//! [`registry`]).

pub mod api;
pub mod clipped_relu;
pub mod conv1d;
pub mod cosine;
pub mod discrete;
pub mod erf;
pub mod family;
pub mod fourier;
pub mod low_rank;
pub mod registry;
pub mod relu_sphere;
pub mod sign;
pub mod step;
pub mod tanh2;
pub mod taylor;
