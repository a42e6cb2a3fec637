//! Noise laws: one file each, listed in [`NOISES`]; and the oracle of the noisy protocol. [`independent`] is shared by
//! laws with independent, equally distributed coordinates, [`schedule`] by laws whose variance changes over time.

use crate::params::entry::Build;
use crate::params::registry::members;

pub mod api;
pub(crate) mod independent;
pub(crate) mod parameters;
pub(crate) mod schedule;

members! {
    /// Every noise law.
    NOISES: Build<dyn api::NoiseLaw> = "noise": adaptive, adversarial, alternating, drifting, gaussian, laplace, multivariate_gaussian, rademacher, student_t, uniform, varying_laplace
}

#[cfg(test)]
mod tests;
