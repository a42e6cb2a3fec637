//! What one thread at a time uses, in a process that may be forked meanwhile.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Something behind a lock. A process that was forked off while a thread had the lock has no such thread: it would wait for
/// ever, and what is behind the lock is half changed.
pub struct Held<T> {
    inside: Mutex<T>,
    turn: Mutex<()>,
    /// The process whose threads take the lock.
    home: AtomicU32,
}

/// The lock, in a process in which it can be taken.
pub struct Lock<'a, T> {
    held: &'a Held<T>,
    /// That process.
    pub process: u32,
}

impl<T> Held<T> {
    /// In this process.
    pub fn new(inside: T) -> Self {
        Self { inside: Mutex::new(inside), turn: Mutex::new(()), home: AtomicU32::new(process::id()) }
    }

    /// What is inside.
    pub fn get_mut(&mut self) -> &mut T {
        self.inside.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, asked for before each use, with the interpreter: so no other thread of this process asks, or forks.
    ///
    /// # Errors
    /// A thread of another process had the lock of the learner `name` when this process was forked off.
    pub fn here(&self, _: Python<'_>, name: &str) -> PyResult<Lock<'_, T>> {
        let here = process::id();
        if self.home.load(Ordering::Relaxed) != here {
            // No thread of this process has asked for it before.
            let inside = matches!(self.inside.try_lock(), Err(TryLockError::WouldBlock));
            if inside || matches!(self.turn.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(PyRuntimeError::new_err(format!(
                    "another thread was using this {name} when the process was forked: make or load it again here, or \
                     fork while no thread uses it"
                )));
            }
            self.home.store(here, Ordering::Relaxed);
        }
        Ok(Lock { held: self, process: here })
    }
}

impl<'a, T> Lock<'a, T> {
    /// Waits for it. Who waits comes next: a thread that plays block after block does not take it again before them.
    pub fn take(&self) -> MutexGuard<'a, T> {
        let _turn = self.held.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.held.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
