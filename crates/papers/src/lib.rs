#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod applied;
pub mod beyond;
pub mod case;
pub mod claim;
pub mod errata;
pub mod guarantee;
pub mod guarantees;
pub(crate) mod layers;
pub mod noisy;
pub mod paper;
pub mod pkawv;
pub mod robust;
pub mod theorem;
pub mod theorems;

/// The table of this crate's code identity, as `noregret-identity` writes it.
pub const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));
