//! The report: web pages that open without a network, and `report.md`. They show every exhibit, what the verdicts are,
//! what is missing and why, and where the results come from.

pub mod content;
pub mod embed;
pub mod inline;
pub mod shelf;
pub mod story;
pub mod verdict;
pub mod view;
pub mod write;
