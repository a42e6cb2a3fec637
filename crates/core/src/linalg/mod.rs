//! Numerical groundwork that knows nothing of learning: row-major matrices, compensated sums, vector and matrix
//! products, factorisations, quadrature, and elementary and special functions.

pub(crate) mod ascent;
pub mod bernoulli;
pub mod compact;
pub mod covariance;
pub mod deferred;
pub mod dense;
pub mod eigen;
pub mod elementary;
pub(crate) mod gram;
pub(crate) mod growing;
mod lanes;
pub mod matrix;
mod modest;
pub mod panels;
pub(crate) mod quadrature;
pub mod simd;
pub mod sum;
pub(crate) mod symmetric;
pub(crate) mod triangular;
mod turn;
pub(crate) mod upper;
pub mod vector;
