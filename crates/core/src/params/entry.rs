//! Members of registries.

use std::sync::Arc;

use super::{ParamError, Params, Part, Spec};

/// A member of a registry. `build` makes it from checked parameters.
#[derive(Debug)]
pub struct Entry<B: 'static> {
    /// Its name in configuration, on the command line and in tables.
    pub name: &'static str,
    /// Its formula or law, and its source, in one line.
    pub summary: &'static str,
    /// The module that defines it (`module_path!()`), for code identity.
    pub module: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Makes it.
    pub build: B,
}

/// Makes a member from checked parameters alone.
pub type Build<T> = fn(&Params) -> Result<Arc<T>, ParamError>;

/// A chosen member of a registry of `T`, and the object that was built.
#[derive(Debug)]
pub struct Chosen<T: ?Sized> {
    /// Its name and parameters.
    pub part: Part,
    /// What was built from them.
    pub object: Arc<T>,
}

impl<T: ?Sized + Send + Sync + 'static> Chosen<T> {
    /// The choice that `part` is, if a `T` was built of it.
    pub fn of(part: &Part) -> Option<Self> {
        Some(Self { object: part.object()?, part: part.clone() })
    }
}

impl<T: ?Sized> Clone for Chosen<T> {
    fn clone(&self) -> Self {
        Self { part: self.part.clone(), object: self.object.clone() }
    }
}
