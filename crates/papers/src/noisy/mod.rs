//! Online learning of noisy data, with and without kernels: learners that see noisy copies.

pub mod applied;
pub(crate) mod claims;
pub mod errata;
pub mod one_copy;
pub mod radius;
pub(crate) mod theorems;
