//! Learners that see noisy copies of inputs and targets.
//!
//! [`surrogate_descent`] (descent from inputs with Gaussian noise), [`random_map`] and [`tensor_sum`] (features estimated from
//! random numbers of copies) are shared.

use crate::learner::api;
use crate::params::registry::members;

pub mod random_map;
pub mod surrogate_descent;
pub mod tensor_sum;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": noisy_linear_two_copy, noisy_linear_covariance, noisy_gaussian, noisy_radial, noisy_analytic
}
