//! All kernels, by name.

pub use crate::kernel::api::KernelEntry;
use crate::kernel::{
    arc_cosine, arcsine, binomial, exponential, gaussian, infinite_layer, inverse_multiquadric, laplace, linear,
    matern, periodic_power, polynomial, rational, sobolev_periodic,
};

/// Every kernel.
pub static KERNELS: &[&KernelEntry] = &[
    &arc_cosine::ENTRY,
    &arcsine::ENTRY,
    &binomial::ENTRY,
    &exponential::ENTRY,
    &gaussian::ENTRY,
    &infinite_layer::ENTRY,
    &inverse_multiquadric::ENTRY,
    &laplace::ENTRY,
    &linear::ENTRY,
    &matern::ENTRY,
    &periodic_power::ENTRY,
    &polynomial::ENTRY,
    &rational::ENTRY,
    &sobolev_periodic::ENTRY,
];
