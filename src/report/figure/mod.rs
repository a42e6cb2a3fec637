//! Figures: a specification file in `pipeline/figures/` names a kind; each kind is one file here and one row of
//! [`registry::KINDS`].

pub mod api;
pub mod functions;
pub mod registry;
pub mod render;

mod average_loss;
mod curves;
mod query_law;
mod regret;
#[cfg(test)]
mod samples;
mod time;
mod trade;
mod worst_world;
