#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

mod archive;
mod blocks;
pub mod bucket;
pub mod catalogue;
mod certificates;
pub(crate) mod classes;
pub mod declaration;
mod download;
pub(crate) mod embedded;
pub mod encode;
pub mod error;
pub mod fetch;
pub mod files;
pub mod format;
pub mod http;
pub mod listing;
pub mod own;
mod pieces;
pub mod pin;
pub mod prepare;
pub mod remote;
mod remote_file;
pub mod stored;
pub mod table;
mod text;
pub mod thrift;
pub mod user;

/// The table of this crate's code identity, as `noregret-identity` writes it.
pub const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));
