//! Losses: one file each, joined in [`registry`].

pub mod absolute;
pub mod api;
pub mod exponential;
pub mod hinge;
pub mod registry;
pub mod smoothed_absolute;
pub mod smoothed_hinge;
pub mod squared;
pub mod squared_margin;
