//! Online gradient descent, and bets on a coin, which are descent without a step size.
//!
//! [`expansion`] (functions sum_i a_i k(x_i, .)), [`linear_descent`], [`coin`] and [`step`] (step sizes) are shared.

use crate::learner::api;
use crate::params::registry::members;

pub(crate) mod coin;
pub(crate) mod expansion;
pub mod linear_descent;
pub(crate) mod step;

members! {
    /// These learners.
    MEMBERS: api::Recipe = "learner": fogd, nogd, kernel_ogd, linear_ogd, coin_kernel, coin_taylor, coin_linear
}
