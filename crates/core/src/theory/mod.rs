//! Theorems as functions: bounds with their constants, and the parameters that the papers prescribe, one file per
//! paper; what the theorems claim about rates ([`statements`], [`registry`]); and what they say of a run ([`case`],
//! [`applied`]).

pub mod aggregation;
pub mod api;
pub mod applied;
pub mod betting;
pub mod case;
pub mod claims;
pub mod fourier;
pub mod iln;
pub mod intervals;
pub mod logistic;
pub mod noisy;
pub mod one_copy;
pub mod pkawv;
pub mod radius;
pub mod registry;
pub mod robust;
pub(crate) mod spectrum;
pub(crate) mod statements;
pub mod tracking;
