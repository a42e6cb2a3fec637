//! Runs side by side, within a budget of time. A run that does not end, whatever it does, is not waited for: its thread is
//! left behind, and what it has told so far is taken. It ends with the process, and with it the processes that it has
//! started. Tests bring a clock of their own, so that none depends on how fast a machine is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use noregret_core::learner::api::Cost;

use crate::compare::played::{RunOutcome, SettingRun};

/// What tells how long the command has been running.
pub trait Clock: Send + Sync {
    /// Seconds since the command began.
    fn seconds(&self) -> f64;

    /// Called when the one who waits for the runs has waited a moment in vain.
    fn waited(&self) {}
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct Wall(Instant);

impl Wall {
    /// It begins now.
    pub fn begin() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Wall {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// After which share of the budget whatever still runs is cut; the rest, up to 5/4 of the budget, is for the leaderboard,
/// the picture and the files.
const CUT: f64 = 1.15;

/// A promise about time: nothing starts after the budget, and everything has ended by 5/4 of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The budget, in seconds.
    pub seconds: f64,
}

/// From when on nothing more starts, and when what runs is cut, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeLimits {
    /// Nothing starts from here on.
    pub(crate) start: f64,
    /// Nothing is waited for from here on.
    pub cut: f64,
}

impl Budget {
    /// The limits of the last phase.
    pub(crate) fn limits(self) -> TimeLimits {
        TimeLimits { start: self.seconds, cut: CUT * self.seconds }
    }

    /// The limits of a phase that begins `now` and may take this share of the time that is left.
    pub(crate) fn share(self, now: f64, share: f64) -> TimeLimits {
        let end = now + share * (self.seconds - now).max(0.0);
        // A run that has begun may take a little longer, so that the phase does not throw away what is almost there.
        TimeLimits { start: end, cut: now + CUT * (end - now) }
    }

    /// The budget, beginning `now`, of one of `left` comparisons that share what is left of this one. Each may take 5/4 of its
    /// own, and all together keep the promise.
    pub fn of_one(self, now: f64, left: usize) -> Self {
        Self { seconds: (self.seconds - now).max(0.0) / left.max(1) as f64 }
    }

    /// How long reading the file may take: then its first rows are all that is played.
    pub fn reading(self) -> f64 {
        0.3 * self.seconds
    }
}

/// How often the clock is looked at while nothing happens.
const TICK: Duration = Duration::from_millis(5);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayEnd {
    /// There was no time left to begin it.
    NotStarted,
    /// It was cut, at what it had told last.
    Cut,
    /// It has ended by itself.
    Done,
}

/// What a run is told, and tells.
pub(crate) struct Leash {
    slot: Arc<Mutex<(PlayEnd, RunOutcome)>>,
    stop: Arc<AtomicBool>,
    clock: Arc<dyn Clock>,
    cut: f64,
}

impl Leash {
    /// Whether it may go on; asked as often as possible.
    pub(crate) fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.clock.seconds() < self.cut
    }

    /// What stops it, for a process that plays.
    pub(crate) fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Says what it has come to.
    pub(crate) fn tell(&self, progress: RunOutcome) {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner).1 = progress;
    }
}

/// Plays runs.
pub(crate) trait RunPlayer: Send + Sync + 'static {
    /// Plays a run, asks the leash whether to go on, and tells it what it has come to.
    fn play(&self, run: &SettingRun, leash: &Leash);

    /// Whether this run was played before, so that it takes no time.
    fn known(&self, run: &SettingRun) -> bool;

    /// The forecast of a setting's cost for a number of rows.
    fn cost(&self, setting: usize, rows: u64) -> Cost;
}

/// By which means runs are played.
pub struct Crew<'a> {
    /// How many runs are played side by side.
    pub threads: usize,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How long all may take, from the clock's beginning.
    pub budget: Budget,
    /// Whether the user wants to stop.
    pub interrupted: &'a dyn Fn() -> bool,
    /// Told what happens.
    pub say: &'a dyn Fn(&str),
}

impl Crew<'_> {
    /// Has `field` play runs in their order, tells now and then how many have ended, and returns how each ended and what it told
    /// last. None begins after `limits.start`; from `limits.cut` on, or as soon as the user wants to stop, none is waited for.
    pub(crate) fn play(
        &self,
        field: &Arc<dyn RunPlayer>,
        runs: &[SettingRun],
        limits: TimeLimits,
    ) -> Vec<(PlayEnd, RunOutcome)> {
        let mut told = self.clock.seconds();
        let stop = Arc::new(AtomicBool::new(false));
        let slots: Vec<_> =
            runs.iter().map(|_| Arc::new(Mutex::new((PlayEnd::NotStarted, RunOutcome::default())))).collect();
        let count = runs.len();
        let queue = Arc::new(Mutex::new(runs.iter().cloned().zip(slots.clone()).collect::<VecDeque<_>>()));
        let (done, ended) = channel();
        for _ in 0..self.threads.clamp(1, count.max(1)) {
            let (queue, stop, clock, done) = (queue.clone(), stop.clone(), self.clock.clone(), done.clone());
            let field = field.clone();
            let work = move || {
                // What a learner would share with other threads stays on this one, whose time is counted, and which has its
                // share of the processors.
                let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
                while !stop.load(Ordering::Relaxed) && clock.seconds() < limits.start {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((run, slot)) = next else { return };
                    slot.lock().unwrap_or_else(PoisonError::into_inner).0 = PlayEnd::Cut;
                    let leash = Leash { slot, stop: stop.clone(), clock: clock.clone(), cut: limits.cut };
                    field.play(&run, &leash);
                    if leash.goes_on() {
                        leash.slot.lock().unwrap_or_else(PoisonError::into_inner).0 = PlayEnd::Done;
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
        while finished < count && self.clock.seconds() < limits.cut && !(self.interrupted)() {
            match ended.recv_timeout(TICK) {
                Ok(()) => {
                    finished += 1;
                    let now = self.clock.seconds();
                    if now >= told + 5.0 && finished < count {
                        told = now;
                        (self.say)(&format!("  {finished} of {count}"));
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.clock.waited(),
                // All threads have stopped: no time is left for the rest of the runs.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        stop.store(true, Ordering::Relaxed);
        slots.iter().map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
    }
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

    /// Runs that take so long, by their settings; each tells that it begins and that it ends.
    struct Timed {
        clock: Arc<Manual>,
        durations: Vec<f64>,
    }

    impl RunPlayer for Timed {
        fn play(&self, run: &SettingRun, leash: &Leash) {
            let told = |rounds| leash.tell(RunOutcome { rounds, ..RunOutcome::default() });
            told(10 * run.setting as u64 + 1);
            self.clock.pass(self.durations[run.setting]);
            if self.durations[run.setting].is_infinite() {
                // It never looks at its leash again.
                loop {
                    std::thread::park();
                }
            }
            told(10 * run.setting as u64 + 2);
        }

        fn known(&self, _: &SettingRun) -> bool {
            false
        }

        fn cost(&self, _: usize, _: u64) -> Cost {
            Cost { flops: 0.0, bytes: 0.0 }
        }
    }

    fn played(durations: &[f64], threads: usize, interrupted: bool) -> Vec<(PlayEnd, u64)> {
        let clock = Arc::new(Manual::default());
        let run = |setting| SettingRun { setting, seed: 0, rows: 0, marks: Arc::new([]) };
        let runs: Vec<SettingRun> = (0..durations.len()).map(run).collect();
        let field: Arc<dyn RunPlayer> = Arc::new(Timed { clock: clock.clone(), durations: durations.to_vec() });
        let (budget, interrupted) = (Budget { seconds: 5.0 }, &|| interrupted);
        let crew = Crew { threads, clock, budget, interrupted, say: &|_| {} };
        let ended = crew.play(&field, &runs, TimeLimits { start: 5.0, cut: 6.0 });
        ended.into_iter().map(|(end, played)| (end, played.rounds)).collect()
    }

    #[test]
    fn nothing_begins_late_and_nothing_is_waited_for() {
        let played = |durations| played(durations, 1, false);
        assert_eq!(played(&[1.0, 2.0]), [(PlayEnd::Done, 2), (PlayEnd::Done, 12)]);
        // The second one begins in time; the third one would not.
        assert_eq!(played(&[4.0, 1.5, 1.0]), [(PlayEnd::Done, 2), (PlayEnd::Done, 12), (PlayEnd::NotStarted, 0)]);
        // What never ends is cut at what it told.
        assert_eq!(
            played(&[1.0, f64::INFINITY, 1.0]),
            [(PlayEnd::Done, 2), (PlayEnd::Cut, 11), (PlayEnd::NotStarted, 0)]
        );
    }

    #[test]
    fn an_interruption_ends_the_waiting() {
        assert_eq!(played(&[f64::INFINITY], 2, true).len(), 1);
    }

    #[test]
    fn phases_lie_within_the_budget() {
        let budget = Budget { seconds: 20.0 };
        assert_eq!(budget.limits(), TimeLimits { start: 20.0, cut: 23.0 });
        assert_eq!(budget.share(4.0, 0.5), TimeLimits { start: 12.0, cut: 4.0 + 1.15 * 8.0 });
        // After the budget a phase has no time at all.
        assert_eq!(budget.share(21.0, 0.5), TimeLimits { start: 21.0, cut: 21.0 });
        // Comparisons that each take as long as they may.
        for count in 1..=9 {
            let mut now = 0.0;
            for left in (1..=count).rev() {
                let own = budget.of_one(now, left);
                assert!(own.seconds > 0.0 && now + own.limits().start <= 20.0 + 1e-9, "{left} of {count}");
                now += 1.25 * own.seconds;
            }
            assert!(now <= 25.0 + 1e-9, "{count}: {now}");
        }
        assert_eq!(budget.of_one(30.0, 2), Budget { seconds: 0.0 });
        assert!(budget.share(0.0, 1.0).cut <= budget.limits().cut && budget.reading() < budget.seconds);
    }
}
