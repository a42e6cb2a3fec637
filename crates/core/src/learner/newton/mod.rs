//! Online Newton steps: in the kernel's space, in the span of a dictionary, and for logistic regression.
//!
//! [`constants`], [`window`] (rounds that are played together), [`kons_dual`] and [`aioli`] are shared.

use crate::learner::api;
use crate::params::registry::members;

pub mod aioli;
pub(crate) mod constants;
pub mod kons_dual;
pub(crate) mod window;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": kons, sketched_kons, pros_n_kons, aioli_taylor, aioli_fourier
}
