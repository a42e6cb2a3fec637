//! New projects: what `noregret init` and `noregret compare` write, from templates that the program holds.

pub(crate) mod own;
pub(crate) mod paper;
pub(crate) mod streams;
pub(crate) mod write;
