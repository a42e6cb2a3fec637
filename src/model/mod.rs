//! Saved learners: a safetensors file holds what was learnt, as named f64 arrays, and in its metadata, under
//! `noregret.model`, a JSON object ([`header::Header`]) with everything that it takes to build the learner again.

pub mod arrays;
pub mod error;
pub mod file;
pub mod header;
