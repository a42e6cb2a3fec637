//! All comparators, by name.

use super::api::Comparator;
use crate::params::{ParamError, Params, Spec};

/// A registered comparator.
#[derive(Debug)]
pub struct ComparatorEntry {
    /// Name in configuration.
    pub name: &'static str,
    /// What it minimises, in one line, with its source.
    pub summary: &'static str,
    /// Its source file (`file!()`), for code identity.
    pub file: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Builds it from checked parameters.
    pub build: fn(&Params) -> Result<Box<dyn Comparator>, ParamError>,
}

/// Every comparator.
pub static COMPARATORS: &[&ComparatorEntry] = &[&super::penalised::ENTRY, &super::norm_ball::ENTRY];

/// The comparator of that name.
pub fn find(name: &str) -> Option<&'static ComparatorEntry> {
    COMPARATORS.iter().copied().find(|entry| entry.name == name)
}
