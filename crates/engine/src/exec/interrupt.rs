//! Signals. From the beginning of the program on, SIGINT and SIGTERM end it with status 130 or 143. Once a run has begun,
//! the first one asks it to finish its writes and stop; what does not stop in time ends with the
//! process, which loses nothing: no file stands under its name before it is complete. Rounds of a stream would be lost: as long as
//! they are held ([`signals::Hold`]), it waits, up to half a minute. A second SIGINT ends it at once.
//! SIGUSR1, with which a scheduler warns of a time limit, asks it to begin nothing more.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use std::time::{Duration, Instant};

use noregret_platform::signals::{self, INTERRUPT, TERMINATE, WARNING};

use crate::exec::progress::tell;

/// How long what is running has to stop in good order: a long step looks for signals rarely, or never.
const GRACE: Duration = Duration::from_millis(1500);

/// How long what is held ([`signals::Hold`]) has to come to its end.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a message may take.
const MESSAGE: Duration = Duration::from_millis(100);

/// Whether the process was asked to stop, and by which signal.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    warning: Arc<AtomicUsize>,
}

impl Interrupt {
    /// From now on, SIGINT and SIGTERM ask the work to stop; and the signal of the file-size limit is an ordinary write
    /// error.
    pub fn install() -> io::Result<Self> {
        Self::install_with(GRACE)
    }

    /// The same, where what is running has so long to stop.
    pub fn install_with(grace: Duration) -> io::Result<Self> {
        let interrupt = Self::default();
        let [again, at_once] = at_once()?;
        // The order matters: a second SIGINT must find the flag that the first one set.
        signals::set(INTERRUPT, again)?;
        [INTERRUPT, TERMINATE].into_iter().try_for_each(|signal| signals::note(signal, &interrupt.signal))?;
        signals::after_first(move |signal| {
            // Whoever reads the messages may have stopped reading: the end does not wait for that.
            let told = |text: &'static str| drop(std::thread::Builder::new().spawn(move || tell(text)));
            let begin = Instant::now();
            std::thread::sleep(grace);
            if signals::is_held() {
                told("interrupted: the rows under way come to their end first; a second Ctrl-C ends at once\n");
            }
            while signals::is_held() && begin.elapsed() < PATIENCE {
                std::thread::sleep(grace);
            }
            told("interrupted: what was running did not stop in time and is left; run the same command again\n");
            std::thread::sleep(MESSAGE);
            signals::end(signal)
        })?;
        signals::catch_size_limit()?;
        // A signal that came before has ended the process.
        again.store(false, Ordering::SeqCst);
        at_once.store(false, Ordering::SeqCst);
        Ok(interrupt)
    }

    /// Catches SIGUSR1 as well. Only for work that can stop between two steps.
    pub fn heed_warnings(&self) -> io::Result<()> {
        signals::note_warnings(&self.warning)
    }

    /// The signal that asked the process to begin nothing more: a request to stop, or a warning.
    pub(crate) fn last_call(&self) -> Option<i32> {
        self.signal().or_else(|| number(&self.warning))
    }

    /// The signal that asked the process to stop.
    pub fn signal(&self) -> Option<i32> {
        number(&self.signal)
    }

    /// Warns, as if SIGUSR1 had arrived.
    pub fn warn(&self) {
        self.warning.store(WARNING.unsigned_abs() as usize, Ordering::Relaxed);
    }

    /// Asks for an orderly stop, as if `signal` had arrived.
    pub fn raise(&self, signal: i32) {
        self.signal.store(usize::try_from(signal).unwrap_or(0), Ordering::Relaxed);
    }
}

/// Lets SIGINT and SIGTERM end the process with status 130 or 143 until an [`Interrupt`] is installed: the first thing that
/// a program does.
pub fn end_on_signals() -> io::Result<()> {
    at_once().map(drop)
}

/// Whether SIGINT, and SIGTERM, end the process at once.
fn at_once() -> io::Result<&'static [Arc<AtomicBool>; 2]> {
    static FLAGS: OnceLock<io::Result<[Arc<AtomicBool>; 2]>> = OnceLock::new();
    let register = |signal: i32| {
        let flag = Arc::new(AtomicBool::new(true));
        signals::end_on(signal, &flag).map(|()| flag)
    };
    let flags = FLAGS.get_or_init(|| Ok([register(INTERRUPT)?, register(TERMINATE)?]));
    flags.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// The signal that was noted, if one was.
fn number(noted: &AtomicUsize) -> Option<i32> {
    match noted.load(Ordering::Relaxed) {
        0 => None,
        signal => i32::try_from(signal).ok(),
    }
}
