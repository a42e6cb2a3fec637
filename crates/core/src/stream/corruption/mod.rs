//! Laws that corrupt targets: outliers and heavy tails, one file each, listed in [`CORRUPTIONS`]. [`corrupted`] applies
//! one to a stream.

use crate::params::entry::Build;
use crate::params::registry::members;

pub(crate) mod api;
pub(crate) mod corrupted;

members! {
    /// Every corruption.
    CORRUPTIONS: Build<dyn api::Corruption> = "corruption": cauchy, contamination, negation, two_point
}

#[cfg(test)]
mod tests;
