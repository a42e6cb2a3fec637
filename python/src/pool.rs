//! Threads that survive a fork.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that imported the module.
static HOME: OnceLock<u32> = OnceLock::new();

/// The pool of a process that was forked off, with the number of that process.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers which process imported the module.
pub fn remember_this_process() {
    HOME.get_or_init(process::id);
}

/// Does `work`, which may use rayon, while other threads have the interpreter. A forked process has none of the threads of rayon's pool and would wait for them
/// forever, so it works in a pool of its own. That pool has one thread, because such processes are workers, one for
/// each processor. Results do not depend on the number of threads.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    run_in(process::id(), py, work)
}

/// [`run`] in the process `here`, for those who know that this is the one.
pub fn run_in<T: Send>(here: u32, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    // With the interpreter, so that no other thread forks while the pool is made.
    let pool = if HOME.get() == Some(&here) { None } else { forked(here) };
    py.detach(|| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

/// The pool of the forked process `here`; None if the system gives it no thread.
fn forked(here: u32) -> Option<Arc<ThreadPool>> {
    let mut known = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = known.as_ref().filter(|(process, _)| *process == here) {
        return Some(pool.clone());
    }
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(1).build().ok()?);
    // The pool of the parent has no threads here that could be told to end.
    std::mem::forget(known.replace((here, pool.clone())));
    Some(pool)
}
