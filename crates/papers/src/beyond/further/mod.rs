//! Random Fourier features, online logistic regression, and coin betting.

pub mod applied;
pub mod betting;
pub mod claims;
pub mod fourier;
pub mod logistic;
pub mod statements;
