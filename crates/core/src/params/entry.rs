//! Members of registries.

use std::any::Any;
use std::sync::Arc;

use serde_json::json;

use super::{ParamError, Params, Spec};

/// What a registry offers under a name; `build` says how it is made from checked parameters.
#[derive(Debug)]
pub struct Entry<B: 'static> {
    /// Its name in configuration, on the command line and in tables.
    pub name: &'static str,
    /// Formula or law, and source, in one line.
    pub summary: &'static str,
    /// The module that defines it (`module_path!()`), for code identity.
    pub module: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Makes it.
    pub build: B,
}

/// Makes something from checked parameters alone.
pub type Build<T> = fn(&Params) -> Result<Arc<T>, ParamError>;

/// A chosen member of a registry: its name, its checked parameters, and the thing that they describe.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name in its registry.
    pub name: &'static str,
    /// The module that defines it, for code identity.
    pub module: &'static str,
    /// Its checked parameters.
    pub params: Params,
    /// What was built from them, an `Arc<T>`.
    object: Arc<dyn Any + Send + Sync>,
}

impl Part {
    /// The member `entry` with these parameters, built as `object`.
    pub fn new<B, T: ?Sized + Send + Sync + 'static>(entry: &Entry<B>, params: Params, object: Arc<T>) -> Self {
        Self { name: entry.name, module: entry.module, params, object: Arc::new(object) }
    }

    /// What was built, if it is a `T` (`dyn Kernel`, say).
    pub fn object<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.object.downcast_ref::<Arc<T>>().cloned()
    }

    /// The canonical form: the member's name beside its parameters.
    pub fn canonical(&self) -> serde_json::Value {
        self.named(self.params.canonical())
    }

    /// The form that keys random draws; see [`Params::draw_key`].
    pub fn draw_key(&self) -> serde_json::Value {
        self.named(self.params.draw_key())
    }

    fn named(&self, mut form: serde_json::Value) -> serde_json::Value {
        if let Some(object) = form.as_object_mut() {
            object.insert("name".into(), json!(self.name));
        }
        form
    }

    /// The modules that define it and its own nested parts, for code identity.
    pub fn modules(&self) -> Vec<&'static str> {
        std::iter::once(self.module).chain(self.params.modules()).collect()
    }
}

/// A chosen member of a registry of `T`, with what was built.
#[derive(Debug)]
pub struct Chosen<T: ?Sized> {
    /// Its name and parameters.
    pub part: Part,
    /// What was built from them.
    pub object: Arc<T>,
}

impl<T: ?Sized> Clone for Chosen<T> {
    fn clone(&self) -> Self {
        Self { part: self.part.clone(), object: self.object.clone() }
    }
}
