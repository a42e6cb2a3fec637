//! Parameters: declared once, checked once when configuration is read, and from then on impossible to get wrong.
//!
//! A member of a registry (a learner, a kernel, ...) declares its parameters as a list of [`Spec`]s. [`check::check`]
//! turns given values into [`Params`]: it makes sure that every name is known and every value in its range, fills in
//! defaults, and builds nested parts. The law suite tries values outside each declared range against every member.

pub mod check;
pub mod entry;
mod error;
pub mod number;
pub mod registry;
pub mod typed;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use noregret_numeric::linalg::covariance::Covariance;
use noregret_numeric::linalg::matrix::Matrix;

pub use error::ParamError;

/// The declaration of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Its name in configuration, on the command line and in tables.
    pub name: &'static str,
    /// What it is, in one sentence, with its symbol in the source.
    pub doc: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// What it is when it is not given.
    pub default: Fallback,
}

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A finite real number in `range` (or a fraction as text, see [`number::fraction`]), or one of `words` (a formula that
    /// is evaluated when the learner is built).
    Real { range: Range, words: &'static [&'static str] },
    /// An integer from `min` to `max`, inclusive.
    Integer { min: u64, max: u64 },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// true or false.
    Flag,
    /// A covariance: a number (that variance in every direction), a list of variances or `{ diagonal = [..] }`
    /// (uncorrelated columns), a list of rows or `{ matrix = [[..], ..] }`; or one of `words`. In an experiment's grid
    /// a list means alternatives; there, a single value must be written as a table.
    Covariance { words: &'static [&'static str] },
    /// Equally long rows of numbers, `{ matrix = [[..], ..] }` or a list of rows, or one of `words`. In an experiment's
    /// grid only the table is one value.
    Rows { words: &'static [&'static str] },
    /// A table that names a member of another registry and gives its parameters.
    Part(PartKind),
    /// A table that maps parameters of a part to lists of values. It stands for that part with every combination of
    /// these values. The part is `base`, another parameter of the same member.
    Grid {
        /// The name of the parameter that holds the part.
        base: &'static str,
    },
    /// A list of members of another registry, each a name or a table as for [`Kind::Part`]; or one of `words`. In an
    /// experiment, too, such a list is one value.
    Parts {
        /// The registry.
        of: PartKind,
        /// The words.
        words: &'static [&'static str],
    },
}

impl Kind {
    /// A finite real number in `range`.
    pub const fn real(range: Range) -> Self {
        Kind::Real { range, words: &[] }
    }

    /// An integer from `min` to `max`, both included.
    pub const fn integer(min: u64, max: u64) -> Self {
        Kind::Integer { min, max }
    }

    /// The values that a parameter takes, in words.
    pub fn allowed(&self) -> String {
        match self {
            Kind::Real { range, words: [] } => format!("a number in {range}"),
            Kind::Real { range, words } => format!("a number in {range}, or {}", quoted(words)),
            Kind::Integer { min, max: u64::MAX } => format!("an integer from {min}"),
            Kind::Integer { min, max } => format!("an integer from {min} to {max}"),
            Kind::Choice(words) => quoted(words),
            Kind::Flag => "true or false".into(),
            Kind::Covariance { words } => {
                let words = if words.is_empty() { String::new() } else { format!(", or {}", quoted(words)) };
                format!("a variance, a list of variances, or a list of the rows of a covariance matrix{words}")
            }
            Kind::Rows { words } => {
                let words = if words.is_empty() { String::new() } else { format!(", or {}", quoted(words)) };
                format!("{{ matrix = [[..], ..] }} with equally long rows of numbers{words}")
            }
            Kind::Part(kind) => format!("a {} table", kind.word()),
            Kind::Grid { .. } => "a table that maps its parameters to lists of values".into(),
            Kind::Parts { of, words: [] } => format!("a list of {}s, each a name or a table", of.word()),
            Kind::Parts { of, words } => {
                format!("a list of {}s, each a name or a table, or {}", of.word(), quoted(words))
            }
        }
    }

    /// The words that it takes.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        match self {
            Kind::Real { words, .. }
            | Kind::Choice(words)
            | Kind::Covariance { words }
            | Kind::Rows { words }
            | Kind::Parts { words, .. } => words,
            Kind::Integer { .. } | Kind::Flag | Kind::Part(_) | Kind::Grid { .. } => &[],
        }
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
}

/// A given value as errors show it: as JSON, which has no name for numbers that are not finite.
pub fn show(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::Null) | Err(_) => "NaN or an infinity".into(),
        Ok(value) => value.to_string(),
    }
}

/// Which registry a nested table names a member of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A kernel.
    Kernel,
    /// A feature family.
    Feature,
    /// A learner.
    Learner,
    /// A loss.
    Loss,
    /// A window.
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
///
/// ```
/// use noregret_core::params::Range;
///
/// assert!(Range::POSITIVE.holds(1e-300) && !Range::POSITIVE.holds(0.0));
/// assert!(!Range::ANY.holds(f64::NAN));
/// assert_eq!(Range { max: 2.0, max_open: false, ..Range::POSITIVE }.to_string(), "(0, 2]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub min: f64,
    /// Whether the lower end itself is excluded.
    pub min_open: bool,
    /// Upper end.
    pub max: f64,
    /// Whether the upper end itself is excluded.
    pub max_open: bool,
}

impl Range {
    /// (0, infinity)
    pub const POSITIVE: Range = Range { min: 0.0, min_open: true, max: f64::INFINITY, max_open: true };
    /// [0, infinity)
    pub(crate) const NONNEGATIVE: Range = Range { min: 0.0, min_open: false, max: f64::INFINITY, max_open: true };
    /// (-infinity, infinity)
    pub const ANY: Range = Range { min: f64::NEG_INFINITY, min_open: true, max: f64::INFINITY, max_open: true };

    /// Whether the interval contains `value`. It never contains NaN.
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

/// The value of a parameter that is not given.
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
    /// The same, for a parameter that was declared when its member already had results. At this value it does not enter
    /// the key of random draws, so that runs that do not set it keep their random numbers.
    Added(&'static Fallback),
}

/// A checked value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A finite number inside the declared range.
    Real(f64),
    /// An integer inside the declared bounds.
    Integer(u64),
    /// A declared word.
    Word(&'static str),
    /// true or false.
    Flag(bool),
    /// A covariance.
    Covariance(Covariance),
    /// Rows of numbers.
    Rows(Matrix),
    /// A built member of another registry.
    Part(Part),
    /// Members of another registry: a list, or those of a grid, which differ in some parameters.
    Grid(Vec<Part>),
}

impl Value {
    /// The canonical form; see [`Params::canonical`].
    pub(crate) fn canonical(&self) -> serde_json::Value {
        self.form(Part::canonical)
    }

    fn form(&self, part_form: fn(&Part) -> serde_json::Value) -> serde_json::Value {
        match self {
            Value::Real(number) => json!(number),
            Value::Integer(number) => json!(number),
            Value::Word(word) => json!(word),
            Value::Flag(flag) => json!(flag),
            Value::Covariance(covariance) => canonical_covariance(covariance),
            Value::Rows(matrix) => json!({ "matrix": matrix.view().iter().collect::<Vec<_>>() }),
            Value::Part(part) => part_form(part),
            Value::Grid(parts) => parts.iter().map(part_form).collect(),
        }
    }
}

/// Checked parameters of one member, complete with defaults.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let specs = KERNELS.find("gaussian")?.params;
/// let checked = |bandwidth: serde_json::Value| check(specs, &json!({ "bandwidth": bandwidth }), "", &AllParts);
/// let (one, same) = (checked(json!(0.1))?, checked(json!("1/10"))?);
/// assert_eq!(one.canonical()["bandwidth"], 0.1);
/// assert_eq!(one.canonical(), same.canonical()); // however the value is written
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Params {
    values: BTreeMap<&'static str, Value>,
    /// Parameters at a default that keys no draws.
    silent: BTreeSet<&'static str>,
}

impl Params {
    pub(crate) fn insert(&mut self, name: &'static str, value: Value, silent: bool) {
        self.values.insert(name, value);
        if silent {
            self.silent.insert(name);
        }
    }

    /// All values, by name in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }

    /// The value of a declared parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// The canonical form: every parameter with its value, sorted by name, with numbers as numbers. Equal values give
    /// equal forms, however they were written (1e-3, 0.0010).
    pub fn canonical(&self) -> serde_json::Value {
        self.form(|_| true, Part::canonical)
    }

    /// The form that keys random draws: the canonical one without the parameters that were added later and are at their
    /// default ([`Fallback::Added`]).
    pub fn draw_key(&self) -> serde_json::Value {
        self.draw_key_of(|_| true, Part::draw_key)
    }

    /// [`Params::draw_key`] of some parameters, given that of a nested part.
    pub(crate) fn draw_key_of(
        &self,
        shown: impl Fn(&str) -> bool,
        part_form: fn(&Part) -> serde_json::Value,
    ) -> serde_json::Value {
        self.form(|name| shown(name) && !self.silent.contains(name), part_form)
    }

    fn form(&self, shown: impl Fn(&str) -> bool, part_form: fn(&Part) -> serde_json::Value) -> serde_json::Value {
        let shown = self.values.iter().filter(|(name, _)| shown(name));
        shown.map(|(name, value)| ((*name).to_owned(), value.form(part_form))).collect()
    }

    /// The modules of all nested parts, for code identity.
    pub fn modules(&self) -> Vec<&'static str> {
        let mut modules = Vec::new();
        for value in self.values.values() {
            let parts = match value {
                Value::Part(part) => std::slice::from_ref(part),
                Value::Grid(parts) => parts,
                _ => &[],
            };
            modules.extend(parts.iter().flat_map(Part::modules));
        }
        modules
    }
}

/// The shortest form in which configuration accepts the covariance.
fn canonical_covariance(covariance: &Covariance) -> serde_json::Value {
    match (covariance.as_number(), covariance.as_diagonal(), covariance.as_matrix()) {
        (Some(variance), _, _) => json!(variance),
        (_, Some(variances), _) => json!({ "diagonal": variances }),
        (_, _, Some(matrix)) => json!({ "matrix": matrix.view().iter().collect::<Vec<_>>() }),
        (None, None, None) => serde_json::Value::Null,
    }
}

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
    /// The member called `name`, which the module `module` defines, with these parameters and built as `object`.
    pub fn new<T: ?Sized + Send + Sync + 'static>(
        name: &'static str,
        module: &'static str,
        params: Params,
        object: Arc<T>,
    ) -> Self {
        Self { name, module, params, object: Arc::new(object) }
    }

    /// What was built, if it is a `T` (for example `dyn Kernel`).
    pub fn object<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.object.downcast_ref::<Arc<T>>().cloned()
    }

    /// The canonical form: the member's name with its parameters.
    pub fn canonical(&self) -> serde_json::Value {
        self.named(self.params.canonical())
    }

    /// The form that keys random draws; see [`Params::draw_key`].
    pub(crate) fn draw_key(&self) -> serde_json::Value {
        self.named(self.params.draw_key())
    }

    /// A form of its parameters with its name.
    pub(crate) fn named(&self, mut form: serde_json::Value) -> serde_json::Value {
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
