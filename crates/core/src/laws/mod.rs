//! The laws that every learner and every kernel obeys. The crate's own suite calls them for each registered member, and
//! the same functions test a learner or kernel of your own.
//!
//! A law takes a closure that makes a fresh learner (or a kernel, or the parameters that a member declares) and returns
//! a [`Broken`] law with a sentence that says where. It never panics by itself. [`learner::all`], [`noisy::all`],
//! [`kernel::all`] and [`parameters::all`] check every law of one kind; [`entry::all`] checks a registry entry with its
//! default parameters and with every variant that its declarations allow.
//!
//! ```
//! use noregret_core::prelude::*;
//! use noregret_core::laws;
//!
//! /// Predicts 0 and learns nothing.
//! struct Zero;
//! impl Hypothesis for Zero {
//!     fn predict(&self, _x: &[f64], _draw: &mut Draw) -> f64 { 0.0 }
//!     fn gauges(&self) -> Gauges { Gauges { state_bytes: Some(0), ..Gauges::default() } }
//! }
//! impl Learner for Zero {
//!     fn learn(&mut self, _x: &[f64], _y: f64, _draw: &mut Draw) -> Result<(), Breakdown> { Ok(()) }
//! }
//! assert_eq!(laws::learner::all(&|| Ok(Box::new(Zero)), 2), Ok(()));
//! ```

pub mod broken;
pub mod cases;
pub mod data;
pub mod entry;
pub mod kernel;
pub mod learner;
pub mod noisy;
pub mod parameters;
mod saved;

#[cfg(test)]
mod tests;

pub use broken::Broken;
