//! Runs side by side under time limits. A run that does not end, whatever it does, is not waited for: its thread is left
//! behind, and what it has told so far is taken. It ends with the process, and with it the processes that it has started.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::compare::clock::{Clock, Limits};

/// How often the clock is looked at while nothing happens.
const TICK: Duration = Duration::from_millis(5);

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There was no time left to begin it.
    NotStarted,
    /// It was cut, at what it had told last.
    Cut,
    /// It has ended by itself.
    Done,
}

/// What a task is told, and tells.
pub struct Leash<P> {
    slot: Arc<Mutex<(End, P)>>,
    stop: Arc<AtomicBool>,
    clock: Arc<dyn Clock>,
    cut: f64,
}

impl<P> Leash<P> {
    /// Whether it may go on; asked as often as possible.
    pub(crate) fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.clock.seconds() < self.cut
    }

    /// What stops it, for a process that plays.
    pub(crate) fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Says what it has come to.
    pub(crate) fn tell(&self, progress: P) {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner).1 = progress;
    }
}

/// What is to be done.
pub(crate) type Task<P> = Box<dyn FnOnce(&Leash<P>) + Send>;

/// Does tasks on `threads` threads, in their order, and returns how each ended and what it told last. None begins after
/// `limits.start`; from `limits.cut` on, or as soon as `interrupted` says so, none is waited for.
pub(crate) fn run<P: Default + Clone + Send + 'static>(
    tasks: Vec<Task<P>>,
    threads: usize,
    clock: &Arc<dyn Clock>,
    limits: Limits,
    interrupted: &dyn Fn() -> bool,
    mut each: impl FnMut(usize),
) -> Vec<(End, P)> {
    let stop = Arc::new(AtomicBool::new(false));
    let slots: Vec<_> = tasks.iter().map(|_| Arc::new(Mutex::new((End::NotStarted, P::default())))).collect();
    let count = tasks.len();
    let queue = Arc::new(Mutex::new(tasks.into_iter().zip(slots.clone()).collect::<VecDeque<_>>()));
    let (done, ended) = channel();
    for _ in 0..threads.clamp(1, count.max(1)) {
        let (queue, stop, clock, done) = (queue.clone(), stop.clone(), clock.clone(), done.clone());
        let work = move || {
            while !stop.load(Ordering::Relaxed) && clock.seconds() < limits.start {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((task, slot)) = next else { return };
                slot.lock().unwrap_or_else(PoisonError::into_inner).0 = End::Cut;
                let leash = Leash { slot, stop: stop.clone(), clock: clock.clone(), cut: limits.cut };
                task(&leash);
                if leash.goes_on() {
                    leash.slot.lock().unwrap_or_else(PoisonError::into_inner).0 = End::Done;
                }
                if done.send(()).is_err() {
                    return;
                }
            }
        };
        // Where no thread can be made, the others do the work.
        let _ = std::thread::Builder::new().name("compare".into()).spawn(work);
    }
    drop(done);
    let mut finished = 0;
    while finished < count && clock.seconds() < limits.cut && !interrupted() {
        match ended.recv_timeout(TICK) {
            Ok(()) => {
                finished += 1;
                each(finished);
            }
            Err(RecvTimeoutError::Timeout) => clock.waited(),
            // All threads have stopped: no time is left for the rest of the tasks.
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    stop.store(true, Ordering::Relaxed);
    slots.iter().map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A clock that is set by hand.
    #[derive(Default)]
    pub(crate) struct Manual(pub Mutex<f64>);

    impl Manual {
        /// Lets time pass.
        pub(crate) fn pass(&self, seconds: f64) {
            *self.0.lock().unwrap() += seconds;
        }
    }

    impl Clock for Manual {
        fn seconds(&self) -> f64 {
            *self.0.lock().unwrap()
        }
    }

    fn played(durations: &[f64], limits: Limits) -> Vec<(End, u32)> {
        let clock = Arc::new(Manual::default());
        let of = clock.clone();
        let task = |(index, seconds): (usize, &f64)| -> Task<u32> {
            let (clock, seconds) = (clock.clone(), *seconds);
            Box::new(move |leash: &Leash<u32>| {
                leash.tell(10 * index as u32 + 1);
                clock.pass(seconds);
                if seconds.is_infinite() {
                    // It never looks at its leash again.
                    loop {
                        std::thread::park();
                    }
                }
                leash.tell(10 * index as u32 + 2);
            })
        };
        let tasks = durations.iter().enumerate().map(task).collect();
        let clock: Arc<dyn Clock> = of;
        run(tasks, 1, &clock, limits, &|| false, |_| {})
    }

    #[test]
    fn nothing_begins_late_and_nothing_is_waited_for() {
        let limits = Limits { start: 5.0, cut: 6.0 };
        assert_eq!(played(&[1.0, 2.0], limits), [(End::Done, 2), (End::Done, 12)]);
        // The second one begins in time; the third one would not.
        assert_eq!(played(&[4.0, 1.5, 1.0], limits), [(End::Done, 2), (End::Done, 12), (End::NotStarted, 0)]);
        // What never ends is cut at what it told.
        assert_eq!(played(&[1.0, f64::INFINITY, 1.0], limits), [(End::Done, 2), (End::Cut, 11), (End::NotStarted, 0)]);
    }

    #[test]
    fn an_interruption_ends_the_waiting() {
        let clock: Arc<dyn Clock> = Arc::new(Manual::default());
        let tasks: Vec<Task<u32>> = vec![Box::new(|_: &Leash<u32>| {
            loop {
                std::thread::park();
            }
        })];
        let limits = Limits { start: 5.0, cut: 6.0 };
        assert_eq!(run(tasks, 2, &clock, limits, &|| true, |_| {}).len(), 1);
    }
}
