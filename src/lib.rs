//! noregret: a reproducible research pipeline for online learning with kernels, with a data-parallel batch engine.
//!
//! ARCHITECTURE.md is the map of the source.

#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod analysis;
pub mod cli;
pub mod code;
pub mod compare;
pub mod compute;
pub mod config;
pub mod dataset;
pub mod external;
pub(crate) mod project;
pub mod report;
pub mod schema;
pub mod stages;
mod thrift;
pub mod trace;

/// The Rust blocks of the book.
#[cfg(doctest)]
#[doc = include_str!("../docs/src/own-learner.md")]
pub(crate) struct Book;
