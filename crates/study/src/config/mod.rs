//! Configuration: from the TOML files in `pipeline/` to checked experiments, expanded to cells.
//!
//! Everything that can be wrong in a file is found here, before anything runs, with the file, the field and what is
//! allowed. What comes out cannot be wrong.

pub mod declared;
pub mod draft;
mod entry;
mod error;
pub mod experiment;
mod fit;
pub(crate) mod grid;
mod label;
pub mod learners;
pub(crate) mod members;
mod names;
pub mod overrides;
pub mod parts;
mod plays;
pub mod project;
pub mod reference;
mod reported;
mod scope;
mod sizes;
pub(crate) mod stream;
pub mod study;

pub use error::{ConfigError, did_you_mean};
