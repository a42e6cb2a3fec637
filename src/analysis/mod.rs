//! Pure functions on traces: what figures and tables show, as numbers. Sees tables only, never a learner.

pub mod blocks;
pub mod claim;
pub mod combine;
pub mod complexity;
pub mod curve;
pub mod exact;
pub mod exponents;
pub mod quantity;
pub mod queries;
pub mod rate;
pub mod record;
pub mod reported;
pub mod slope;
pub mod student;
pub mod summary;
pub mod tuned;
pub mod words;
