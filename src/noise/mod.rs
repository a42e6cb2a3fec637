//! Noise laws: one file each, joined in [`registry`]; and the oracle of the noisy protocol.

pub mod api;
pub mod gaussian;
pub mod laplace;
pub mod rademacher;
pub mod registry;
pub mod uniform;
