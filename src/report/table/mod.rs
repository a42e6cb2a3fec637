//! Tables: a specification file in `pipeline/tables/` names a kind; each kind is one file here and one row of
//! [`registry::KINDS`].

pub mod api;
pub mod format;
pub mod registry;
pub mod render;

mod bounds;
mod complexity;
mod costs;
mod errata;
mod leaderboard;
mod rates;
