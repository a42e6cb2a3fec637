//! Reports: figures, tables and pages that show what [`crate::analysis`] computed. Every function here is pure: it
//! turns tables and specifications into bytes. The stages read and write files.

pub mod caption;
pub mod chart;
pub mod error;
pub mod exhibit;
pub mod figure;
pub mod number;
pub mod page;
pub mod rates;
pub mod table;
