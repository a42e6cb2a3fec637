//! Figures: a specification file in `pipeline/figures/` names a kind; each kind is one file here and one row of
//! [`registry::KINDS`].

pub mod api;
pub mod registry;
pub mod render;

mod along_horizons;
mod average_loss;
mod curves;
mod local_slopes;
mod price;
mod ends;
mod exponents;
mod online_regret;
mod regret;
mod time;
