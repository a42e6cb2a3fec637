//! Losses: one file each, listed in [`LOSSES`].

use crate::params::entry::Build;
use crate::params::registry::members;

pub mod api;

members! {
    /// Every loss.
    LOSSES: Build<dyn api::Loss> = "loss": absolute, exponential, hinge, logistic, pinball, smoothed_absolute, smoothed_hinge, squared, squared_margin
}

#[cfg(test)]
mod tests;
