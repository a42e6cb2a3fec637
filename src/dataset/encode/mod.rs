//! From what files hold (words, dates, gaps) to numbers: one encoder for each kind of column.
//!
//! All encoders are causal: how a row is encoded depends on that row and on earlier ones. What has to be known before
//! the first row is settled by its cells ([`choices::Encoding::first_cell`]), or, where all rows are known before they are played,
//! by the beginning of the file, see [`recognise`].

pub mod category;
pub mod choices;
pub mod column;
pub mod date;
pub mod marks;
pub mod number;
pub mod plan;
pub mod reader;
pub mod recognise;
pub mod target;
