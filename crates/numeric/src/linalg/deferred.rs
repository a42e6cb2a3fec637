//! Matrices that take no memory before they are used, so that a learner can be built to check its parameters.

use std::cell::LazyCell;

use crate::state::{State, StateError, Store};

/// A matrix that is made when it is first used.
///
/// ```
/// use noregret_numeric::linalg::deferred::deferred;
/// use noregret_numeric::linalg::panels::Panels;
///
/// drop(deferred(|| Panels::multiple(1 << 30, 1.0))); // 2^60 numbers, none of which ever existed
/// assert_eq!(deferred(|| Panels::multiple(3, 0.5)).diagonal(2), 0.5);
/// ```
pub type Deferred<M> = LazyCell<M, Box<dyn FnOnce() -> M + Send>>;

/// The matrix that `make` will make.
pub fn deferred<M>(make: impl FnOnce() -> M + Send + 'static) -> Deferred<M> {
    LazyCell::new(Box::new(make))
}

impl<M: State> State for Deferred<M> {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        (**self).state(store)
    }
}
