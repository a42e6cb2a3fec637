#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod draw;
pub mod linalg;
pub mod meter;
pub mod state;

/// The table of this crate's code identity, as `noregret-identity` writes it.
pub const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));
