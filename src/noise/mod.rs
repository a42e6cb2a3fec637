//! Noise laws: one file each, joined in [`registry`]; and the oracle of the noisy protocol. [`schedule`] is shared by
//! the laws whose strength changes over time.

pub mod adversarial;
pub mod alternating;
pub mod api;
pub mod drifting;
pub mod gaussian;
pub mod laplace;
pub mod multivariate_gaussian;
pub mod rademacher;
pub mod registry;
pub mod schedule;
pub mod student_t;
pub mod uniform;
pub mod varying_laplace;
