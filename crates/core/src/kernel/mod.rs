//! Kernels: one file each, listed in [`KERNELS`].

use crate::params::entry::Build;
use crate::params::registry::members;

pub(crate) mod angle;
pub mod api;
pub(crate) mod distance;
pub mod mixture;
pub mod panels;
pub mod surrogate;
pub(crate) mod tensors;

members! {
    /// Every kernel.
    KERNELS: Build<dyn api::Kernel> = "kernel": arc_cosine, arcsine, binomial, exponential, gaussian, infinite_layer, inverse_multiquadric, laplace, linear, matern, periodic_power, polynomial, rational, sobolev_periodic
}
