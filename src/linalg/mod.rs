//! Linear algebra that knows nothing of learning: row-major matrices, compensated sums, factorisations.

pub mod matrix;
pub mod sum;
