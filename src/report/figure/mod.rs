//! Figures: a specification file in `pipeline/figures/` names a kind; each kind is one file here and one row of
//! [`registry::KINDS`].

pub mod api;
pub mod functions;
pub mod registry;
pub mod render;

mod along_horizons;
mod average_loss;
mod curves;
mod ends;
mod exponents;
mod local_slopes;
mod measure;
mod measured_exponents;
mod online_regret;
mod price;
mod query_law;
mod regret;
#[cfg(test)]
mod samples;
mod scan;
mod time;
mod trade;
mod worst_world;
