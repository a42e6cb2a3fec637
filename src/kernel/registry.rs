//! All kernels, by name.

pub use crate::kernel::api::KernelEntry;
use crate::kernel::{gaussian, laplace, linear, periodic_power, polynomial, sobolev_periodic};

/// Every kernel.
pub static KERNELS: &[&KernelEntry] = &[
    &gaussian::ENTRY,
    &laplace::ENTRY,
    &linear::ENTRY,
    &periodic_power::ENTRY,
    &polynomial::ENTRY,
    &sobolev_periodic::ENTRY,
];
