//! From what files hold (words, dates, gaps) to numbers: one encoder for each kind of column.
//!
//! All encoders are causal: how a row is encoded depends on that row and on earlier ones. What has to be known before
//! the first row is settled by its cells ([`choices::ColumnEncoding::first_cell`]), or, where all rows are known before they are played,
//! by the beginning of the file, see [`recognise`].

pub(crate) mod category;
pub mod choices;
pub mod column;
pub mod column_list;
pub(crate) mod date;
pub(crate) mod kinds;
pub mod marks;
pub(crate) mod number;
pub mod plan;
pub(crate) mod reader;
pub(crate) mod recognise;
pub(crate) mod target;
