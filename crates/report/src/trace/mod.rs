//! Traces: the contract between running (which writes them) and analysis (which only reads them).
//!
//! [`schema`] says which columns there are, and [`gauge`] what of a learner is recorded; [`table`] turns columns into
//! Parquet bytes; [`cell`] is one run as it is kept in the store; [`write`](mod@write) joins the runs of an experiment
//! into result tables.

pub mod cell;
pub mod gauge;
pub mod join;
pub mod points;
pub mod read;
pub mod schema;
pub mod table;
pub mod write;

#[cfg(test)]
mod tests;
