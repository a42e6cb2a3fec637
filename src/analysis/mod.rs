//! Pure functions on traces: what figures and tables show, as numbers. Sees tables only, never a learner.

pub mod claim;
pub mod curve;
pub mod exact;
pub mod queries;
pub mod record;
pub mod slope;
pub mod student;
pub mod summary;
