//! Builds the nested parts of checked parameters; the one module of parameters that knows all registries.

use std::sync::Arc;

use crate::feature::FAMILIES;
use crate::kernel::KERNELS;
use crate::learner::LEARNERS;
use crate::loss::LOSSES;
use crate::params::check::{GivenTable, Parts, check_table};
use crate::params::typed::Optional;
use crate::params::{ParamError, Part, PartKind};
use crate::window::WINDOWS;

/// All registries of the library.
#[derive(Clone, Copy, Debug)]
pub struct AllParts;

impl Parts for AllParts {
    fn part(&self, kind: PartKind, table: &GivenTable, default: Option<&str>, path: &str) -> Result<Part, ParamError> {
        match kind {
            PartKind::Kernel => Ok(KERNELS.choose(table, default, path, self)?.part),
            PartKind::Feature => Ok(FAMILIES.choose(table, default, path, self)?.part),
            PartKind::Loss => Ok(LOSSES.choose(table, default, path, self)?.part),
            PartKind::Window => Ok(WINDOWS.choose(table, default, path, self)?.part),
            // A learner is built later, when its setting is known.
            PartKind::Learner => {
                let (entry, params) = LEARNERS.chosen(table, default, path, self)?;
                Ok(Part::new(entry.name, entry.module, params, Arc::new(entry)))
            }
        }
    }
}

/// The defaults of parameters. It is not [`std::default::Default`], which would stand beside the parameters: a member, on
/// whose code results depend, knows no registry.
pub trait Defaults: Optional {
    /// The struct with all defaults.
    fn default() -> Self {
        match check_table(Self::SPECS, &GivenTable::new(), "", &AllParts) {
            Ok(params) => Self::read(&params),
            Err(error) => unreachable!("{error}"),
        }
    }
}

impl<P: Optional> Defaults for P {}
