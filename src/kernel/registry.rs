//! All kernels, by name.

use std::sync::Arc;

use super::api::Kernel;
use super::{gaussian, laplace, linear, polynomial, sobolev_periodic};
use crate::params::{ParamError, Params, Spec};

/// A registered kernel.
#[derive(Debug)]
pub struct KernelEntry {
    /// Name in configuration.
    pub name: &'static str,
    /// Formula and source in one line.
    pub summary: &'static str,
    /// Its source file (`file!()`), for code identity.
    pub file: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Builds it from checked parameters.
    pub build: fn(&Params) -> Result<Arc<dyn Kernel>, ParamError>,
}

/// Every kernel.
pub static KERNELS: &[&KernelEntry] =
    &[&gaussian::ENTRY, &laplace::ENTRY, &linear::ENTRY, &polynomial::ENTRY, &sobolev_periodic::ENTRY];
