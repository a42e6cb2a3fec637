//! The law suite: every registered member satisfies these laws. No member is named here; a new registry entry is
//! covered automatically. The laws themselves are those of `noregret_core::laws`, whose tests break each of them.

mod ahead;
pub mod cases;
mod classes;
mod damaged;
mod derived;
mod features;
mod kept;
mod kernels;
mod late;
mod learners;
pub mod noisy;
mod one_copy;
mod over_epochs;
mod parameters;
mod snapshots;
mod weights;
mod widths;
