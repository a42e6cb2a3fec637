//! Formulas of the papers that are printed wrongly: what is printed, what is correct, and a computation that decides
//! between them. Each item is one file of its paper and one name in the list there; [`registry::ERRATA`] has them all.

pub mod api;
pub mod class;
pub mod registry;

pub mod mean;
pub mod quadrature;
pub mod search;
#[cfg(test)]
mod tests;
