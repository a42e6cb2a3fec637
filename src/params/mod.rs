//! Parameters: declared once, checked once when configuration is read, and from then on impossible to get wrong.
//!
//! A member of a registry (a learner, a kernel, ...) declares its parameters as a list of [`Spec`]s. [`check()`]
//! turns a TOML table into [`Params`]: every name known, every value in its range, defaults filled in, nested parts
//! built. The law suite tries values outside each declared range against every member.

pub mod check;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::feature::family::Family;
use crate::kernel::api::Kernel;
use crate::linalg::covariance::Covariance;
use crate::loss::api::Loss;
use crate::window::api::Window;

pub use check::{ParamError, Parts, check};

/// The declaration of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Its name in configuration, on the command line and in tables.
    pub name: &'static str,
    /// One sentence: what it is, with its symbol in the source.
    pub doc: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// What it is when it is not given.
    pub default: Fallback,
}

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A finite real number in `range`, or one of `words` (a formula that is evaluated when the learner is built).
    Real { range: Range, words: &'static [&'static str] },
    /// An integer from `min` to `max`, both included.
    Integer { min: u64, max: u64 },
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// true or false.
    Flag,
    /// A covariance: a number (that variance in every direction), a list of variances or `{ diagonal = [..] }`
    /// (uncorrelated columns), a list of rows or `{ matrix = [[..], ..] }`; or one of `words`. In an experiment's grid
    /// a list means alternatives, so that the tables are the way to write one value there.
    Covariance { words: &'static [&'static str] },
    /// A table that names a member of another registry and gives its parameters.
    Part(PartKind),
    /// A table from parameters of the part `base`, another parameter of the same member, to lists of values: that part
    /// with every combination of them.
    Grid {
        /// The name of the parameter that holds the part.
        base: &'static str,
    },
}

/// Which registry a nested table names a member of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// [`crate::kernel::registry`].
    Kernel,
    /// [`crate::feature::registry`].
    Feature,
    /// [`crate::learner::registry`].
    Learner,
    /// [`crate::loss::registry`].
    Loss,
    /// [`crate::window::registry`].
    Window,
}

impl PartKind {
    /// The word used in messages.
    pub fn word(self) -> &'static str {
        match self {
            PartKind::Kernel => "kernel",
            PartKind::Feature => "feature",
            PartKind::Learner => "learner",
            PartKind::Loss => "loss",
            PartKind::Window => "window",
        }
    }
}

/// An interval of real numbers; ends are included unless marked open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub min: f64,
    /// Whether the lower end itself is left out.
    pub min_open: bool,
    /// Upper end.
    pub max: f64,
    /// Whether the upper end itself is left out.
    pub max_open: bool,
}

impl Range {
    /// (0, infinity)
    pub const POSITIVE: Range = Range { min: 0.0, min_open: true, max: f64::INFINITY, max_open: true };
    /// [0, infinity)
    pub const NONNEGATIVE: Range = Range { min: 0.0, min_open: false, max: f64::INFINITY, max_open: true };
    /// (-infinity, infinity)
    pub const ANY: Range = Range { min: f64::NEG_INFINITY, min_open: true, max: f64::INFINITY, max_open: true };

    /// Whether the interval holds `value`. Never true of NaN.
    pub fn holds(&self, value: f64) -> bool {
        let above = if self.min_open { value > self.min } else { value >= self.min };
        let below = if self.max_open { value < self.max } else { value <= self.max };
        value.is_finite() && above && below
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let open = if self.min_open { '(' } else { '[' };
        let close = if self.max_open { ')' } else { ']' };
        write!(f, "{open}{}, {}{close}", self.min, self.max)
    }
}

/// What a parameter is when it is not given.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    /// It must be given.
    Required,
    /// A number.
    Real(f64),
    /// An integer.
    Integer(u64),
    /// A word: a choice, or the name of a formula.
    Word(&'static str),
    /// true or false.
    Flag(bool),
    /// The member of that name with all of its own defaults.
    Part(&'static str),
}

/// A checked value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A finite number inside the declared range.
    Real(f64),
    /// An integer inside the declared bounds.
    Integer(u64),
    /// A declared word.
    Word(String),
    /// true or false.
    Flag(bool),
    /// A covariance.
    Covariance(Covariance),
    /// A built member of another registry.
    Part(Part),
    /// Members of another registry that differ in some parameters.
    Grid(Vec<Part>),
}

/// A nested part: its name, its own checked parameters, and the thing itself.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name in its registry.
    pub name: &'static str,
    /// The source file that defines it (for code identity), as `file!()` gives it.
    pub file: &'static str,
    /// Its checked parameters.
    pub params: Params,
    /// What was built from them.
    pub object: PartObject,
}

/// What a part can be.
#[derive(Clone, Debug)]
pub enum PartObject {
    /// A kernel.
    Kernel(Arc<dyn Kernel>),
    /// A feature family.
    Feature(Arc<dyn Family>),
    /// The entry of a learner, a `crate::learner::api::LearnerEntry`: it is built when its setting is known. This module
    /// stands below the learners, so it does not name the type.
    Learner(&'static (dyn Any + Send + Sync)),
    /// A loss.
    Loss(Arc<dyn Loss>),
    /// A window.
    Window(Arc<dyn Window>),
}

/// Checked parameters of one member, complete with defaults.
#[derive(Clone, Debug, Default)]
pub struct Params {
    values: BTreeMap<&'static str, Value>,
}

impl Params {
    pub(crate) fn insert(&mut self, name: &'static str, value: Value) {
        self.values.insert(name, value);
    }

    /// All values, by name in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }

    /// The value of a declared parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// A real parameter; `Err` holds the word that stands in its place.
    ///
    /// # Panics
    /// If the member never declared a real parameter of this name: a mistake in the member, caught by the law suite,
    /// which builds every member.
    pub fn real_or_word(&self, name: &str) -> Result<f64, &str> {
        match self.values.get(name) {
            Some(Value::Real(value)) => Ok(*value),
            Some(Value::Word(word)) => Err(word),
            other => unreachable!("`{name}` was not declared as a real parameter: {other:?}"),
        }
    }

    /// A real parameter that has no words. Panics as [`Params::real_or_word`] does.
    pub fn real(&self, name: &str) -> f64 {
        match self.real_or_word(name) {
            Ok(value) => value,
            Err(word) => unreachable!("`{name}` holds the word {word}"),
        }
    }

    /// An integer parameter. Panics as [`Params::real_or_word`] does.
    pub fn integer(&self, name: &str) -> u64 {
        match self.values.get(name) {
            Some(Value::Integer(value)) => *value,
            other => unreachable!("`{name}` was not declared as an integer: {other:?}"),
        }
    }

    /// A word parameter. Panics as [`Params::real_or_word`] does.
    pub fn word(&self, name: &str) -> &str {
        match self.values.get(name) {
            Some(Value::Word(word)) => word,
            other => unreachable!("`{name}` was not declared as a choice: {other:?}"),
        }
    }

    /// A covariance parameter; `Err` holds the word that stands in its place. Panics as [`Params::real_or_word`] does.
    pub fn covariance_or_word(&self, name: &str) -> Result<&Covariance, &str> {
        match self.values.get(name) {
            Some(Value::Covariance(covariance)) => Ok(covariance),
            Some(Value::Word(word)) => Err(word),
            other => unreachable!("`{name}` was not declared as a covariance: {other:?}"),
        }
    }

    /// A flag. Panics as [`Params::real_or_word`] does.
    pub fn flag(&self, name: &str) -> bool {
        match self.values.get(name) {
            Some(Value::Flag(flag)) => *flag,
            other => unreachable!("`{name}` was not declared as a flag: {other:?}"),
        }
    }

    /// A kernel parameter. Panics as [`Params::real_or_word`] does.
    pub fn kernel(&self, name: &str) -> Arc<dyn Kernel> {
        match self.values.get(name) {
            Some(Value::Part(Part { object: PartObject::Kernel(kernel), .. })) => kernel.clone(),
            other => unreachable!("`{name}` was not declared as a kernel: {other:?}"),
        }
    }

    /// A feature parameter. Panics as [`Params::real_or_word`] does.
    pub fn feature(&self, name: &str) -> Arc<dyn Family> {
        match self.values.get(name) {
            Some(Value::Part(Part { object: PartObject::Feature(family), .. })) => family.clone(),
            other => unreachable!("`{name}` was not declared as a feature: {other:?}"),
        }
    }

    /// The members of a grid parameter, in the order of their declaration, the last parameter varying fastest. Panics
    /// as [`Params::real_or_word`] does.
    pub fn grid(&self, name: &str) -> &[Part] {
        match self.values.get(name) {
            Some(Value::Grid(parts)) => parts,
            other => unreachable!("`{name}` was not declared as a grid: {other:?}"),
        }
    }

    /// A loss parameter. Panics as [`Params::real_or_word`] does.
    pub fn loss(&self, name: &str) -> Arc<dyn Loss> {
        match self.values.get(name) {
            Some(Value::Part(Part { object: PartObject::Loss(loss), .. })) => loss.clone(),
            other => unreachable!("`{name}` was not declared as a loss: {other:?}"),
        }
    }

    /// A window parameter. Panics as [`Params::real_or_word`] does.
    pub fn window(&self, name: &str) -> Arc<dyn Window> {
        match self.values.get(name) {
            Some(Value::Part(Part { object: PartObject::Window(window), .. })) => window.clone(),
            other => unreachable!("`{name}` was not declared as a window: {other:?}"),
        }
    }

    /// The canonical form: every parameter with its value, names sorted, numbers as numbers. Equal values give equal
    /// forms however they were written (1e-3, 0.0010).
    pub fn canonical(&self) -> serde_json::Value {
        let entries = self.values.iter().map(|(name, value)| {
            let value = match value {
                Value::Real(number) => json!(number),
                Value::Integer(number) => json!(number),
                Value::Word(word) => json!(word),
                Value::Flag(flag) => json!(flag),
                Value::Covariance(covariance) => canonical_covariance(covariance),
                Value::Part(part) => part.canonical(),
                Value::Grid(parts) => parts.iter().map(Part::canonical).collect(),
            };
            ((*name).to_owned(), value)
        });
        serde_json::Value::Object(entries.collect())
    }

    /// The source files of all nested parts, for code identity.
    pub fn files(&self) -> Vec<&'static str> {
        let mut files = Vec::new();
        for value in self.values.values() {
            let parts = match value {
                Value::Part(part) => std::slice::from_ref(part),
                Value::Grid(parts) => parts,
                _ => &[],
            };
            for part in parts {
                files.push(part.file);
                files.extend(part.params.files());
            }
        }
        files
    }
}

/// The shortest form in which configuration takes it.
fn canonical_covariance(covariance: &Covariance) -> serde_json::Value {
    match (covariance.as_number(), covariance.as_diagonal(), covariance.as_matrix()) {
        (Some(variance), _, _) => json!(variance),
        (_, Some(variances), _) => json!({ "diagonal": variances }),
        (_, _, Some(matrix)) => json!({ "matrix": matrix.view().iter().collect::<Vec<_>>() }),
        (None, None, None) => serde_json::Value::Null,
    }
}

impl Part {
    /// The canonical form: the member's name beside its parameters.
    pub fn canonical(&self) -> serde_json::Value {
        let mut form = self.params.canonical();
        if let Some(object) = form.as_object_mut() {
            object.insert("name".into(), json!(self.name));
        }
        form
    }
}
