//! Pure functions on traces: what figures and tables show, as numbers. Sees tables only, never a learner.

pub mod blocks;
pub mod board;
pub(crate) mod claim;
pub(crate) mod combine;
pub(crate) mod complexity;
pub mod curve;
pub(crate) mod effort;
pub(crate) mod exact;
pub(crate) mod exponents;
pub(crate) mod friedman;
pub mod guarantee;
pub(crate) mod holm;
pub(crate) mod nemenyi;
pub(crate) mod paired;
pub mod quantity;
pub(crate) mod queries;
pub(crate) mod ranks;
pub mod rate;
pub mod record;
pub mod reported;
pub(crate) mod slope;
pub(crate) mod student;
pub mod summary;
pub mod tuned;
pub(crate) mod wilcoxon;
pub(crate) mod words;
