//! New projects: what `noregret init` and `noregret compare` write, from templates that the program holds.

pub(crate) mod embedded;
pub(crate) mod own;
pub(crate) mod write;
