//! Reports: figures, tables and pages from what [`crate::analysis`] computed. Every function here is pure: tables and
//! specifications in, bytes out; the stages do the file work.

pub mod caption;
pub mod chart;
pub mod error;
pub mod exhibit;
pub mod figure;
pub mod number;
pub mod page;
pub mod rates;
pub mod table;
