//! Feature maps: finite-dimensional approximations of a kernel's feature space ([`taylor`], [`fourier`], [`low_rank`]; [`identity`]
//! for features that are there already);
//! and the families of neurons psi(x; w), w ~ mu, of infinite-layer networks ([`family`]; one file each, listed in
//! [`FAMILIES`]).

use crate::params::entry::Build;
use crate::params::registry::members;

pub mod api;
pub mod family;
pub mod fourier;
pub mod identity;
pub(crate) mod low_rank;
pub mod taylor;

members! {
    /// Every feature family.
    FAMILIES: Build<dyn family::Family> = "feature": cosine, erf, sign, step, relu_sphere, clipped_relu, tanh2, conv1d, coins, discrete
}
