//! What a learner has learnt, as named arrays of numbers, so that it can be saved and loaded.
//!
//! A part names its fields once ([`State::state`]), and the same lines save it and load it: a [`Store`] goes through
//! the parts in one direction or the other. Only what was learnt is stored. Parameters, and what is drawn when a learner
//! is built, come from building it again with the same parameters and draws; random numbers are keyed by rounds, so no
//! generator has a state. The macro `keep!` names every field of a struct, those that are not stored too, so that a new
//! field does not compile before somebody has decided about it; the law `noregret_core::laws::learner::saved` finds wrong decisions.
//!
//! ```
//! use noregret_numeric::state::{State, StateError, Store};
//!
//! #[derive(Default)]
//! struct Mean { sum: f64, rounds: u64 }
//! impl State for Mean {
//!     fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
//!         store.keep("sum", &mut self.sum)?;
//!         store.keep("rounds", &mut self.rounds)
//!     }
//! }
//! let mut saved = Store::saving();
//! Mean { sum: 1.5, rounds: 3 }.state(&mut saved)?;
//! let (mut loaded, mut store) = (Mean::default(), Store::loading(saved.into_arrays()));
//! loaded.state(&mut store)?;
//! store.finish()?;
//! assert_eq!((loaded.sum, loaded.rounds), (1.5, 3));
//! # Ok::<(), StateError>(())
//! ```

use std::collections::BTreeMap;

/// Whole numbers up to this one are stored exactly: 2^53.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Something with a state.
pub trait State {
    /// Gives the state to a store that saves, and takes it from one that loads. What loads is freshly built, with the
    /// parameters and draws of what was saved.
    ///
    /// # Errors
    /// If arrays are missing or do not fit. What was being loaded is then of no use.
    fn state(&mut self, store: &mut Store) -> Result<(), StateError>;
}

/// Why a state cannot be saved or loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// A learner without `Hypothesis::state`.
    #[error("this learner does not say what its state is")]
    Unsupported,
    /// An array is missing.
    #[error("the array `{0}` is missing")]
    Missing(String),
    /// An array that nothing asked for.
    #[error("nothing here has an array `{0}`")]
    Unknown(String),
    /// An array that does not fit.
    #[error("`{name}` {why}")]
    Unfit {
        /// The array, or the part that it belongs to.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Numbers in row-major order; a single number has no dimensions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Array {
    /// The sizes of the dimensions.
    pub shape: Vec<usize>,
    /// As many numbers as the product of the sizes.
    pub values: Vec<f64>,
}

impl From<Vec<f64>> for Array {
    fn from(values: Vec<f64>) -> Self {
        Self { shape: vec![values.len()], values }
    }
}

/// Named arrays on their way from the parts of a learner, or to them. The name of an array is the path to it, with dots.
#[derive(Debug)]
pub struct Store {
    arrays: BTreeMap<String, Array>,
    loading: bool,
    /// The path of the part that is being visited.
    path: String,
}

impl Store {
    /// A store to save to.
    pub fn saving() -> Self {
        Self { arrays: BTreeMap::new(), loading: false, path: String::new() }
    }

    /// A store to load from.
    pub fn loading(arrays: BTreeMap<String, Array>) -> Self {
        Self { arrays, loading: true, path: String::new() }
    }

    /// Whether parts take their state from it.
    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// What was saved.
    pub fn into_arrays(self) -> BTreeMap<String, Array> {
        self.arrays
    }

    /// Ends loading.
    ///
    /// # Errors
    /// If an array was not asked for.
    pub fn finish(self) -> Result<(), StateError> {
        match self.arrays.into_keys().next() {
            Some(name) if self.loading => Err(StateError::Unknown(name)),
            _ => Ok(()),
        }
    }

    /// Saves or loads the part called `name`.
    ///
    /// # Errors
    /// As [`State::state`].
    pub fn keep<T: State + ?Sized>(&mut self, name: &str, part: &mut T) -> Result<(), StateError> {
        self.within(name, |store| part.state(store))
    }

    /// Visits the part called `name`.
    ///
    /// # Errors
    /// Those of the visit.
    pub fn within<T>(
        &mut self,
        name: &str,
        visit: impl FnOnce(&mut Self) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        let before = self.path.len();
        if before > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        let outcome = visit(self);
        self.path.truncate(before);
        outcome
    }

    /// Saves or loads the part called `name` where `there` says that there is one, which becomes true where it is loaded.
    /// Such a part may be absent from what was saved.
    ///
    /// # Errors
    /// As [`State::state`].
    pub fn keep_some<T: State + ?Sized>(
        &mut self,
        name: &str,
        there: &mut bool,
        part: &mut T,
    ) -> Result<(), StateError> {
        if self.loading {
            let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
            *there = self.arrays.contains_key(&path);
        }
        if *there { self.keep(name, part) } else { Ok(()) }
    }

    /// Saves the array of the present part, or returns what was saved.
    ///
    /// # Errors
    /// If there is no such array, or its shape does not agree with its length.
    pub fn exchange(&mut self, own: impl FnOnce() -> Array) -> Result<Option<Array>, StateError> {
        if !self.loading {
            self.arrays.insert(self.path.clone(), own());
            return Ok(None);
        }
        let array = self.arrays.remove(&self.path).ok_or_else(|| StateError::Missing(self.path.clone()))?;
        let size = array.shape.iter().try_fold(1usize, |size, side| size.checked_mul(*side));
        self.check(size == Some(array.values.len()), "has a shape that does not agree with its length")?;
        Ok(Some(array))
    }

    /// As [`exchange`](Store::exchange), for whole numbers from 0 to 2^53.
    fn exchange_counts(&mut self, own: impl Iterator<Item = u64>) -> Result<Option<Vec<u64>>, StateError> {
        let values: Vec<f64> = own.map(|count| count as f64).collect();
        self.check(values.iter().all(|value| *value <= LARGEST), "is beyond 2^53")?;
        let Some(found) = self.exchange(|| values.into())? else { return Ok(None) };
        let whole = |value: &f64| (0.0..=LARGEST).contains(value) && value.fract() == 0.0;
        self.check(found.values.iter().all(whole), "does not hold whole numbers from 0 to 2^53")?;
        Ok(Some(found.values.iter().map(|value| *value as u64).collect()))
    }

    /// An error about the present part, unless `holds`; `why` follows its name.
    ///
    /// # Errors
    /// That one.
    pub fn check(&self, holds: bool, why: &str) -> Result<(), StateError> {
        if holds { Ok(()) } else { Err(StateError::Unfit { name: self.path.clone(), why: why.into() }) }
    }
}

/// The order n of a triangle with n (n + 1) / 2 entries, if there is one.
pub(crate) fn triangle_order(entries: usize) -> Option<usize> {
    let near = (2.0 * entries as f64).sqrt() as usize;
    (near.saturating_sub(1)..=near).find(|n| n * (n + 1) / 2 == entries)
}

/// Saves or loads fields of `$part` by their names; the fields after the semicolon are not stored. All fields of the
/// struct are named. `field[..]` is a list whose length the part knows: one of another length is refused.
#[macro_export]
macro_rules! keep {
    ($part:ident, $store:ident: $($kept:ident $([$all:tt])?),+ $(; $($other:ident),+)?) => {
        let Self { $($kept,)+ $($($other: _,)+)? } = $part;
        $($store.keep(stringify!($kept), &mut (*$kept) $([$all])?)?;)+
    };
}
pub use keep;

impl State for f64 {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        if let Some(found) = store.exchange(|| Array { shape: Vec::new(), values: vec![*self] })? {
            store.check(found.values.len() == 1, "is not a single number")?;
            *self = found.values[0];
        }
        Ok(())
    }
}

impl State for u64 {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.check(*self as f64 <= LARGEST, "is beyond 2^53")?;
        let mut value = *self as f64;
        value.state(store)?;
        let whole = (0.0..=LARGEST).contains(&value) && value.fract() == 0.0;
        store.check(whole, "is not a whole number from 0 to 2^53")?;
        *self = value as u64;
        Ok(())
    }
}

impl State for usize {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut value = *self as u64;
        value.state(store)?;
        *self = value as usize;
        Ok(())
    }
}

/// 0 or 1.
impl State for bool {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut value = u64::from(*self);
        value.state(store)?;
        store.check(value <= 1, "is neither 0 nor 1")?;
        *self = value == 1;
        Ok(())
    }
}

/// Any number of entries.
impl State for Vec<f64> {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        if let Some(found) = store.exchange(|| self.clone().into())? {
            *self = found.values;
        }
        Ok(())
    }
}

impl State for Vec<usize> {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        if let Some(found) = store.exchange_counts(self.iter().map(|value| *value as u64))? {
            *self = found.into_iter().map(|value| value as usize).collect();
        }
        Ok(())
    }
}

impl State for Vec<bool> {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        if let Some(found) = store.exchange_counts(self.iter().map(|value| u64::from(*value)))? {
            store.check(found.iter().all(|value| *value <= 1), "holds other numbers than 0 and 1")?;
            *self = found.into_iter().map(|value| value == 1).collect();
        }
        Ok(())
    }
}

/// As many entries as before.
impl State for [f64] {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        if let Some(found) = store.exchange(|| self.to_vec().into())? {
            let fits = found.values.len() == self.len();
            store.check(fits, &format!("has {} entries instead of {}", found.values.len(), self.len()))?;
            self.copy_from_slice(&found.values);
        }
        Ok(())
    }
}
