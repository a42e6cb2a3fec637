//! Figures. A specification file in `pipeline/figures/` names a kind. Each kind is one file here and one line of
//! [`registry::KINDS`]. Nearly all figures are of the kind [`curves`], whose options say what is drawn.

pub mod api;
pub mod curves;
pub mod functions;
pub mod registry;
pub mod render;

mod dictionary_exponents;
mod local_slopes;
mod query_law;
mod regularity_exponents;
#[cfg(test)]
mod samples;
