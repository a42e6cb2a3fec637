//! noregret: a reproducible research pipeline for online learning with kernels, with a data-parallel batch engine.
//!
//! ARCHITECTURE.md is the map of the source.

#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod cli;
pub(crate) mod project;

/// The Rust blocks of the book.
#[cfg(doctest)]
#[doc = include_str!("../docs/src/own-learner.md")]
pub(crate) struct Book;
