//! Formulas of the papers that are printed wrongly: what is printed, what is correct, and a computation that decides
//! between them. Each item is one file and one row of [`registry::ERRATA`].

pub mod api;
pub mod class;
pub mod registry;

mod beyond;
mod infinite_layer;
mod mean;
mod noisy;
mod pkawv;
mod quadrature;
mod robust;
mod search;
#[cfg(test)]
mod tests;
