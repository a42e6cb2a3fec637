//! All kernels, by name.

pub use crate::kernel::api::KernelEntry;
use crate::kernel::{arc_cosine, arcsine, gaussian, infinite_layer, laplace, linear, polynomial, sobolev_periodic};

/// Every kernel.
pub static KERNELS: &[&KernelEntry] = &[
    &gaussian::ENTRY,
    &laplace::ENTRY,
    &linear::ENTRY,
    &polynomial::ENTRY,
    &sobolev_periodic::ENTRY,
    &arcsine::ENTRY,
    &arc_cosine::ENTRY,
    &infinite_layer::ENTRY,
];
