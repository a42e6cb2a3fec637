//! Laws that corrupt targets: outliers and heavy tails, one file each, joined in [`registry`]; [`corrupted`] puts one on
//! a stream.

pub mod api;
pub mod cauchy;
pub mod contamination;
pub mod corrupted;
pub mod registry;
pub mod two_point;
