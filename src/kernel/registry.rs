//! All kernels, by name.

pub use crate::kernel::api::KernelEntry;
use crate::kernel::{
    binomial, exponential, gaussian, inverse_multiquadric, laplace, linear, matern, polynomial, rational,
    sobolev_periodic,
};

/// Every kernel.
pub static KERNELS: &[&KernelEntry] = &[
    &binomial::ENTRY,
    &exponential::ENTRY,
    &gaussian::ENTRY,
    &inverse_multiquadric::ENTRY,
    &laplace::ENTRY,
    &linear::ENTRY,
    &matern::ENTRY,
    &polynomial::ENTRY,
    &rational::ENTRY,
    &sobolev_periodic::ENTRY,
];
