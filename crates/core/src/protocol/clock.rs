//! Clocks. Times of learners are measured here and nowhere else, and never enter a result.

use std::time::Instant;

use noregret_numeric::meter::measured;
use noregret_numeric::state::{State, StateError, Store};

/// Time spent on something, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Processor time, of all threads that worked.
    pub cpu_ns: u64,
    /// Elapsed time.
    pub wall_ns: u64,
}

/// Adds up the time spent in the calls that it makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    spent: Spent,
    idle: bool,
}

impl Stopwatch {
    /// One that counts nothing, for rounds that are played one by one: reading the clocks takes a microsecond a call.
    pub fn idle() -> Self {
        Self { idle: true, ..Self::default() }
    }

    /// Calls `work` and adds its time, which is also that of the threads it shares its work with.
    pub fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        if self.idle {
            return work();
        }
        let wall = Instant::now();
        let (result, cpu_ns) = measured(work);
        self.spent.cpu_ns += cpu_ns;
        self.spent.wall_ns += u64::try_from(wall.elapsed().as_nanos()).unwrap_or(u64::MAX);
        result
    }

    /// The time spent so far.
    pub fn spent(&self) -> Spent {
        self.spent
    }
}

impl State for Stopwatch {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { spent: Spent { cpu_ns, wall_ns }, idle: _ } = self;
        store.keep("cpu_ns", cpu_ns)?;
        store.keep("wall_ns", wall_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_and_idleness_is_not() {
        let mut watch = Stopwatch::default();
        let sum = watch.time(|| (0..2_000_000u64).fold(0, |sum, i| std::hint::black_box(sum ^ i)));
        std::hint::black_box(sum);
        let first = watch.spent();
        assert!(first.cpu_ns > 0 && first.wall_ns > 0);
        assert_eq!(watch.spent(), first, "time passes only inside `time`");
        let mut idle = Stopwatch::idle();
        assert_eq!((idle.time(|| 3), idle.spent()), (3, Spent::default()));
    }
}
