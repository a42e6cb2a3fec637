#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod bucket;
pub mod code;
pub mod comparator;
pub mod compare;
pub mod config;
pub mod erratum;
pub mod external;
pub mod fetch;
pub mod figure;
pub mod graph;
pub mod guarantee;
pub mod lines;
pub mod prepare;
pub mod rate;
pub(crate) mod report;
pub mod run;
pub(crate) mod stage;
pub mod summarise;
pub mod table;
pub mod timings;
pub mod tune;

/// The table of this crate's code identity, as `noregret-identity` writes it.
pub(crate) const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));
