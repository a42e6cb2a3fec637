//! The protocols: who sees what, in which order; what is measured, and when.
//!
//! [`full`] and [`noisy`] play a learner against a source, [`adversary`] against an opponent that reacts. All of
//! them yield a [`record::RunRecord`].

pub mod adapter;
pub mod adversary;
pub mod cell;
pub mod clock;
pub mod copies;
pub mod design;
pub mod full;
pub mod grid;
pub mod noisy;
pub mod protocols;
pub mod record;
pub mod run;
pub mod score;
pub mod supervisor;
pub mod tally;

#[cfg(test)]
mod tests;
