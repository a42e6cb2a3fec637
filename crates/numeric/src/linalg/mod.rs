//! Numerical groundwork that knows nothing of learning: row-major matrices, compensated sums, vector and matrix
//! products, factorisations, quadrature, and elementary and special functions.

pub mod ascent;
pub mod bernoulli;
pub mod compact;
pub mod covariance;
pub mod deferred;
pub mod dense;
pub mod eigen;
pub mod elementary;
pub mod gram;
pub mod growing;
mod lanes;
pub mod matrix;
mod modest;
pub mod panels;
pub mod quadrature;
pub mod simd;
pub mod sum;
pub mod symmetric;
pub mod triangular;
mod turn;
pub mod upper;
pub mod vector;
