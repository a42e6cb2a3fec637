//! The law suite: what every registered member satisfies. No member is named here; a new registry entry is covered by
//! being there. Cases (default parameters and variants made from the declared ranges) come from [`cases`].

pub mod cases;
mod features;
mod kernels;
mod learners;
pub mod noisy;
mod one_copy;
mod parameters;
mod snapshots;
