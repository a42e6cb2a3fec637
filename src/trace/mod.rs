//! Traces: the contract between running (which writes them) and analysis (which only reads them).

pub mod read;
pub mod schema;
