//! Pure functions on traces: what figures and tables show, as numbers. Sees tables only, never a learner.

pub mod blocks;
pub(crate) mod claim;
pub(crate) mod combine;
pub(crate) mod complexity;
pub mod curve;
pub(crate) mod exact;
pub(crate) mod exponents;
pub mod guarantee;
pub mod quantity;
pub(crate) mod queries;
pub mod rate;
pub mod record;
pub mod reported;
pub(crate) mod slope;
pub(crate) mod student;
pub mod summary;
pub mod tuned;
pub(crate) mod words;
