//! Parameters as structs. One declaration gives the struct with its documentation, the list that a registry shows, the
//! defaults and the checks:
//!
//! ```
//! use noregret_core::learner::descent::fogd::{Fogd, FogdParams};
//! use noregret_core::prelude::*;
//!
//! let params = FogdParams { features: 300, eta: 0.1.into(), ..FogdParams::default() };
//! let mut learner = Fogd::new(params, &Setting::new(2))?;
//! let refused = Fogd::new(FogdParams { bandwidth: -1.0, ..FogdParams::default() }, &Setting::new(2));
//! assert!(refused.unwrap_err().to_string().contains("bandwidth"));
//! # Ok::<(), ParamError>(())
//! ```

use std::sync::Arc;

use noregret_numeric::linalg::covariance::Covariance;
use noregret_numeric::linalg::matrix::Matrix;

use super::entry::Chosen;
use super::{Fallback, Kind, ParamError, Params, Spec, Value, show};

/// Parameters of a member, as a struct.
pub trait Parameters: Sized {
    /// Their declarations, in the order of the fields.
    const SPECS: &'static [Spec];

    /// The struct of checked parameters. They must have been checked against [`Self::SPECS`], or a list that contains these.
    fn read(params: &Params) -> Self;

    /// Whether all values are in the declared ranges.
    ///
    /// # Errors
    /// The first that is not.
    fn check(&self) -> Result<(), ParamError>;
}

/// Parameters none of which must be given; [`Defaults`](crate::parts::Defaults) has their defaults.
pub trait Optional: Parameters {}

/// Parameters of two structs, those of the second after those of the first.
#[derive(Clone, Debug)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Parameters, B: Parameters> Both<A, B> {
    /// Both lists, and what fills the rest: a list of generic length cannot be declared.
    const ROOM: &'static [Spec; 16] = &{
        let mut room = [A::SPECS[0]; 16];
        let mut at = 0;
        while at < A::SPECS.len() + B::SPECS.len() {
            room[at] = if at < A::SPECS.len() { A::SPECS[at] } else { B::SPECS[at - A::SPECS.len()] };
            at += 1;
        }
        room
    };
}

impl<A: Parameters, B: Parameters> Parameters for Both<A, B> {
    const SPECS: &'static [Spec] = Self::ROOM.split_at(A::SPECS.len() + B::SPECS.len()).0;

    fn read(params: &Params) -> Self {
        Self(A::read(params), B::read(params))
    }

    fn check(&self) -> Result<(), ParamError> {
        self.0.check()?;
        self.1.check()
    }
}

impl<A: Optional, B: Optional> Optional for Both<A, B> {}

/// A number, a covariance, rows or parts, or a word in their place, such as the name of a formula that is evaluated when the
/// learner is built.
#[derive(Clone, Debug, PartialEq)]
pub enum OrWord<T> {
    /// The value itself.
    Given(T),
    /// One of the words that the parameter declares.
    Word(&'static str),
}

impl<T> OrWord<T> {
    /// The value, or the word as an error.
    pub fn as_ref(&self) -> Result<&T, &'static str> {
        match self {
            OrWord::Given(value) => Ok(value),
            OrWord::Word(word) => Err(word),
        }
    }
}

impl OrWord<f64> {
    /// The number, or the word as an error.
    pub fn number(&self) -> Result<f64, &'static str> {
        self.as_ref().copied()
    }
}

impl<T> From<T> for OrWord<T> {
    fn from(value: T) -> Self {
        OrWord::Given(value)
    }
}

/// The type of a field of [`Parameters`].
pub trait Parameter: Sized {
    /// The field of a checked value; `None` if the value is of another kind.
    fn of(value: &Value) -> Option<Self>;

    /// The value of the field, where a declaration bounds it.
    fn value(&self) -> Option<Value> {
        None
    }
}

/// The value of the parameter `name`, if there is one of this type.
///
/// ```
/// use noregret_core::params::typed::field;
/// use noregret_core::prelude::*;
///
/// let params = check(KERNELS.find("gaussian")?.params, &json!({ "bandwidth": "1/2" }), "", &AllParts)?;
/// assert_eq!(field(&params, "bandwidth"), Some(0.5));
/// assert_eq!(field::<u64>(&params, "bandwidth"), None);
/// # Ok::<(), ParamError>(())
/// ```
pub fn field<T: Parameter>(params: &Params, name: &str) -> Option<T> {
    params.get(name).and_then(T::of)
}

/// Fields that hold what a variant of [`Value`] holds.
macro_rules! fields {
    ($($type:ty: $variant:ident),+) => {
        $(impl Parameter for $type {
            fn of(value: &Value) -> Option<Self> {
                if let Value::$variant(value) = value { Some(value.clone()) } else { None }
            }

            fn value(&self) -> Option<Value> {
                Some(Value::$variant(self.clone()))
            }
        })+
    };
}

fields!(f64: Real, u64: Integer, bool: Flag, &'static str: Word, Covariance: Covariance, Matrix: Rows);

impl<T: Parameter> Parameter for OrWord<T> {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Word(word) => Some(OrWord::Word(word)),
            value => T::of(value).map(OrWord::Given),
        }
    }

    fn value(&self) -> Option<Value> {
        self.as_ref().map_or_else(|word| Some(Value::Word(word)), T::value)
    }
}

/// A kernel, a family of features, a loss, a window.
impl<T: ?Sized + Send + Sync + 'static> Parameter for Arc<T> {
    fn of(value: &Value) -> Option<Self> {
        if let Value::Part(part) = value { part.object() } else { None }
    }
}

/// The same, or a learner that is built later, with its name and parameters.
impl<T: ?Sized + Send + Sync + 'static> Parameter for Chosen<T> {
    fn of(value: &Value) -> Option<Self> {
        if let Value::Part(part) = value { Chosen::of(part) } else { None }
    }
}

/// The members of a list or of a grid.
impl<T: ?Sized + Send + Sync + 'static> Parameter for Vec<Chosen<T>> {
    fn of(value: &Value) -> Option<Self> {
        if let Value::Grid(parts) = value { parts.iter().map(Chosen::of).collect() } else { None }
    }

    fn value(&self) -> Option<Value> {
        Some(Value::Grid(self.iter().map(|chosen| chosen.part.clone()).collect()))
    }
}

/// The field `name` of checked parameters.
#[doc(hidden)]
pub fn read<T: Parameter>(params: &Params, name: &str) -> T {
    match field(params, name) {
        Some(field) => field,
        None => unreachable!("`{name}` was not declared as such a parameter: {:?}", params.get(name)),
    }
}

/// Whether the field is as its declaration allows.
#[doc(hidden)]
pub fn check(field: &impl Parameter, spec: &Spec) -> Result<(), ParamError> {
    let Some(value) = field.value() else { return Ok(()) };
    let fits = match (&spec.kind, &value) {
        (kind, Value::Word(word)) => kind.words().contains(word),
        (Kind::Real { range, .. }, Value::Real(number)) => range.holds(*number),
        (Kind::Integer { min, max }, Value::Integer(number)) => (*min..=*max).contains(number),
        (Kind::Grid { .. } | Kind::Parts { .. }, Value::Grid(parts)) => !parts.is_empty(),
        _ => true,
    };
    let refused = || ParamError::NotAllowed {
        path: spec.name.to_owned(),
        value: show(&value.canonical()),
        allowed: spec.kind.allowed(),
    };
    fits.then_some(()).ok_or_else(refused)
}

/// Whether no parameter must be given.
#[doc(hidden)]
pub const fn optional(specs: &[Spec]) -> bool {
    let mut at = 0;
    while at < specs.len() && !matches!(specs[at].default, Fallback::Required) {
        at += 1;
    }
    at == specs.len()
}

/// Whether a shared declaration has the name of the field.
#[doc(hidden)]
pub const fn same(name: &str, field: &str) -> bool {
    let (name, field) = (name.as_bytes(), field.as_bytes());
    let mut at = 0;
    while at < name.len() && at < field.len() && name[at] == field[at] {
        at += 1;
    }
    at == name.len() && at == field.len()
}

/// Declares parameters that several members share, once for each module: constants of [`Spec`], and a macro `said` by which
/// [`parameters`] documents fields.
macro_rules! shared {
    ($($(#[doc = $text:literal])+ $name:ident = $word:literal: $kind:expr => $default:expr;)+) => {
        $($(#[doc = $text])+
        pub(crate) const $name: $crate::params::Spec = $crate::params::Spec {
            name: $word,
            doc: concat!($($text),+).trim_ascii(),
            kind: $kind,
            default: $default,
        };)+

        macro_rules! said { $(($name) => { concat!($($text),+) };)+ }
        pub(crate) use said;
    };
}
pub(crate) use shared;

/// Declares a struct of [`Parameters`]. A field is one of its own, with its documentation, values and default, or one that
/// a module declares by [`shared`]. `with required` stands before the braces where some must be given: there are no
/// defaults then.
///
/// ```text
/// parameters! {
///     /// Parameters of [`Fogd`].
///     pub struct FogdParams {
///         bandwidth: f64 = parameters::BANDWIDTH;
///         /// number D of random frequencies; each gives a sine and a cosine
///         features: u64 = Kind::Integer { min: 1, max: 1_000_000 } => Fallback::Integer(1000);
///     }
/// }
/// ```
#[macro_export]
macro_rules! parameters {
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident { $($rest:tt)* }) => {
        impl $crate::params::typed::Optional for $name {}
        const _: () = assert!($crate::params::typed::optional(<$name as $crate::params::typed::Parameters>::SPECS));
        $crate::params::typed::parameters! { @next [$(#[doc = $about])+ $vis $name] [] [] [$($rest)*] }
    };
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident with required { $($rest:tt)* }) => {
        $crate::params::typed::parameters! { @next [$(#[doc = $about])+ $vis $name] [] [] [$($rest)*] }
    };
    (@next $head:tt [$($fields:tt)*] [$($names:tt)*]
        [$field:ident: $type:ty = $module:ident::$shared:ident; $($rest:tt)*]) => {
        const _: () = assert!($crate::params::typed::same($module::$shared.name, stringify!($field)));
        $crate::params::typed::parameters! {
            @next $head
            [$($fields)* #[doc = $module::said!($shared)] $field: $type;]
            [$($names)* $field ($module::$shared);]
            [$($rest)*]
        }
    };
    (@next $head:tt [$($fields:tt)*] [$($names:tt)*]
        [$(#[doc = $text:literal])+ $field:ident: $type:ty = $kind:expr => $default:expr; $($rest:tt)*]) => {
        $crate::params::typed::parameters! {
            @next $head
            [$($fields)* #[doc = concat!($($text),+)] $field: $type;]
            [$($names)* $field ($crate::params::Spec {
                name: stringify!($field),
                doc: concat!($($text),+).trim_ascii(),
                kind: $kind,
                default: $default,
            });]
            [$($rest)*]
        }
    };
    (@next [$(#[doc = $about:literal])+ $vis:vis $name:ident]
        [$(#[doc = $doc:expr] $field:ident: $type:ty;)*] [$($same:ident ($spec:expr);)*] []) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        $vis struct $name {
            $(#[doc = $doc] pub $field: $type,)*
        }

        impl $crate::params::typed::Parameters for $name {
            const SPECS: &'static [$crate::params::Spec] = &[$($spec),*];

            #[allow(unused_variables, reason = "a member may have no parameters")]
            fn read(params: &$crate::params::Params) -> Self {
                Self { $($field: $crate::params::typed::read(params, stringify!($field)),)* }
            }

            fn check(&self) -> Result<(), $crate::params::ParamError> {
                $($crate::params::typed::check(&self.$field, &$spec)?;)*
                Ok(())
            }
        }
    };
}
pub use parameters;
