//! Kernels: one file each, joined in [`registry`].

pub mod api;
pub mod registry;
