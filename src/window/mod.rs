//! Windows of robust losses: one file each, joined in [`registry`].

pub mod api;
pub mod cauchy;
pub mod fair;
pub mod geman_mcclure;
pub mod huber;
pub mod least_squares;
pub mod registry;
pub mod tukey;
pub mod welsch;
