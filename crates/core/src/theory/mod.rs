//! Formulas by which learners set themselves: the steps, draws and radii that theorems prescribe, and the bounds that
//! they report while they play. What the theorems claim of runs is in the crate `noregret-papers`.

pub mod aggregation;
pub mod degrees;
pub mod iln;
pub mod intervals;
pub mod noisy;
pub mod robust;
