//! Rates: how a quantity grows with the horizon, from seeded runs, compared with what a theorem says.
//!
//! A row ([`row`]) is declared as `[rate.NAME]` of a study; [`assess`] takes its values from the runs of an experiment and
//! puts together what the other files compute.

pub mod assess;
pub mod assessment;
pub(crate) mod bound;
pub(crate) mod competing;
pub(crate) mod conditions;
pub mod curvature;
pub mod explain;
pub mod exponent;
pub mod file;
pub(crate) mod judgement;
pub(crate) mod local;
pub mod negative;
pub(crate) mod repeated;
pub mod row;
pub mod sample;
pub mod setup;
pub(crate) mod values;
pub mod verdict;
