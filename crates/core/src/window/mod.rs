//! Windows of robust losses: one file each, listed in [`WINDOWS`].

use crate::params::entry::Build;
use crate::params::registry::members;

pub mod api;

members! {
    /// Every window.
    WINDOWS: Build<dyn api::Window> = "window": fair, cauchy, welsch, geman_mcclure, tukey, huber, least_squares
}

#[cfg(test)]
mod tests;
