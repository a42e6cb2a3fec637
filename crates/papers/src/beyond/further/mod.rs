//! Random Fourier features, online logistic regression, and coin betting.

pub mod applied;
pub mod betting;
pub(crate) mod claims;
pub mod fourier;
pub(crate) mod guarantees;
pub mod logistic;
pub(crate) mod theorems;
