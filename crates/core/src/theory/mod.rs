//! Theorems as functions: bounds with their constants, and the parameters that the papers prescribe, one file per
//! paper; and what the theorems claim about rates ([`statements`], [`registry`]).

pub mod api;
pub mod claims;
pub mod iln;
pub mod noisy;
pub mod one_copy;
pub mod pkawv;
pub mod radius;
pub mod registry;
pub mod robust;
pub mod spectrum;
pub mod statements;
