#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod comparator;
pub mod epoch;
pub mod feature;
pub mod kernel;
pub mod laws;
pub mod learner;
pub mod loss;
pub mod noise;
pub mod params;
pub mod parts;
pub mod prelude;
pub mod protocol;
pub(crate) mod recent;
pub mod stream;
pub mod theory;
pub mod view;
pub mod window;

/// The table of this crate's code identity as `noregret-identity` writes it: the modules with the hashes of their
/// tokens and the paths that they name. It is for caches that must notice when the code behind a result has changed.
pub const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));
