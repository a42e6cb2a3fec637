//! The report: web pages that open without a network, and `report.md`. They show every exhibit, what the verdicts are,
//! what is missing and why, and where the results come from.

pub mod content;
pub(crate) mod embed;
pub(crate) mod inline;
pub(crate) mod matrix;
pub(crate) mod overview;
pub(crate) mod shelf;
pub(crate) mod story;
pub(crate) mod verdict;
pub(crate) mod view;
pub mod write;
