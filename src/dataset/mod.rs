//! Datasets: their names and origins, and how their files are read, checked and scaled.
//!
//! A [`declaration::Dataset`] is a small TOML file. [`fetch`] puts its files into place, [`mod@format`] reads them
//! block by block in bounded memory, [`encode`] makes numbers of words, dates and gaps, [`table`] holds a whole
//! table and defines the content hash, [`prepare`] scales tables, [`stored`] writes a prepared table as Parquet, [`user`]
//! registers files of the user's own, [`mod@own`] reads one as it comes, [`mod@pin`] writes content hashes into
//! declarations, and [`catalogue`] finds all datasets of a project. data/README.md describes the same for users.

pub mod catalogue;
pub mod declaration;
mod download;
pub(crate) mod embedded;
pub mod encode;
pub mod error;
pub mod fetch;
pub(crate) mod files;
pub mod format;
pub(crate) mod listing;
pub mod own;
pub(crate) mod pin;
pub mod prepare;
pub mod stored;
pub mod table;
pub mod user;
