//! Signals.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use crate::system;

/// A request to stop, as by Ctrl-C.
pub const INTERRUPT: i32 = signal_hook::consts::SIGINT;

/// A request to stop, as by `kill`.
pub const TERMINATE: i32 = signal_hook::consts::SIGTERM;

/// SIGUSR1, with which a scheduler warns of a time limit. Windows has no such signal: there, this is a number that never arrives.
pub const WARNING: i32 = system::WARNING;

/// Whether a signal has arrived that is noted.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether the program was asked to stop, by a signal that [`note`] catches. What waits for others looks here from time to time.
pub fn is_stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// How many hold the end.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// As long as it lives, the end of the program after a signal waits for what is under way, within limits: rounds that are lost
/// if they are not written.
pub struct Hold(());

impl Hold {
    /// Holds the end until it is dropped.
    #[must_use]
    pub fn take() -> Self {
        HELD.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether any [`Hold`] lives.
pub fn is_held() -> bool {
    HELD.load(Ordering::SeqCst) > 0
}

/// From now on, the signal is noted in `noted`, as its number, and does not end the program.
///
/// # Errors
/// The system refuses.
pub fn note(signal: i32, noted: &Arc<AtomicUsize>) -> io::Result<()> {
    signal_hook::flag::register(signal, STOP.clone())?;
    signal_hook::flag::register_usize(signal, noted.clone(), signal.unsigned_abs() as usize).map(drop)
}

/// From now on, [`WARNING`] is noted in `noted`.
///
/// # Errors
/// The system refuses.
pub fn note_warnings(noted: &Arc<AtomicUsize>) -> io::Result<()> {
    system::note_warnings(noted)
}

/// From now on, the signal sets a flag.
///
/// # Errors
/// The system refuses.
pub fn set(signal: i32, flag: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register(signal, flag.clone()).map(drop)
}

/// From now on, the signal ends the program with the status 128 + its number, whenever the flag is set.
///
/// # Errors
/// The system refuses.
pub fn end_on(signal: i32, flag: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone()).map(drop)
}

/// Calls `then` in a thread of its own, once, after the first [`INTERRUPT`] or [`TERMINATE`], with its number.
///
/// # Errors
/// The system refuses, or there is no thread left.
pub fn after_first(then: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    let first = system::first([INTERRUPT, TERMINATE])?;
    let wait = move || {
        if let Some(signal) = first() {
            then(signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// Ends the program as a signal does, with the status 128 + its number.
pub fn end(signal: i32) -> ! {
    signal_hook::low_level::exit(128 + signal)
}

/// Turns the signal of the file-size limit, which would end the process, into an ordinary write error.
///
/// # Errors
/// The system refuses.
pub fn catch_size_limit() -> io::Result<()> {
    system::catch_size_limit()
}
