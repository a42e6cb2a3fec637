//! New projects: what `noregret init` and `noregret compare` write, from templates that the program holds.

pub mod own;
pub mod paper;
pub mod write;
