//! Processor time of work, on whatever threads it is done.
//!
//! A thread that waits for others takes over work of whoever else has some, so the time of a thread is not that of the
//! work which it began. Here each thread keeps note of whose work it does.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whom the time of a thread goes to, if to anyone, and since when.
struct Charged {
    meter: CpuMeter,
    since: u64,
}

thread_local! {
    static CHARGED: RefCell<Charged> = const { RefCell::new(Charged { meter: CpuMeter { spent: None }, since: 0 }) };
}

/// Adds up the processor time of one piece of work, in nanoseconds; or of none, which reads no clock.
#[derive(Clone, Debug)]
pub struct CpuMeter {
    spent: Option<Arc<AtomicU64>>,
}

impl CpuMeter {
    /// That of the work which this thread does now: whoever divides work among threads gives it to each part.
    pub fn current() -> Self {
        CHARGED.with_borrow(|charged| charged.meter.clone())
    }

    /// Does a part of the work, on this thread.
    pub fn charge<R>(&self, work: impl FnOnce() -> R) -> R {
        /// Gives the thread back, also where the work panics.
        struct Back(CpuMeter);
        impl Drop for Back {
            fn drop(&mut self) {
                switch(self.0.clone());
            }
        }
        let _back = Back(switch(self.clone()));
        work()
    }
}

/// Charges the thread's time until now, and goes on for `meter`. Returns whom it worked for.
fn switch(meter: CpuMeter) -> CpuMeter {
    CHARGED.with_borrow_mut(|charged| {
        if charged.meter.spent.is_some() || meter.spent.is_some() {
            let now = thread_cpu_ns();
            if let Some(spent) = &charged.meter.spent {
                spent.fetch_add(now.saturating_sub(charged.since), Ordering::Relaxed);
            }
            charged.since = now;
        }
        std::mem::replace(&mut charged.meter, meter)
    })
}

/// Does work, and says how much processor time it took, in nanoseconds: on this thread, and on those that
/// [`join`] or [`CpuMeter::charge`] gave a part. It counts for the work around it, too.
pub fn measured<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let spent = Arc::new(AtomicU64::new(0));
    let result = CpuMeter { spent: Some(spent.clone()) }.charge(work);
    let spent = spent.load(Ordering::Relaxed);
    if let Some(around) = CpuMeter::current().spent {
        around.fetch_add(spent, Ordering::Relaxed);
    }
    (result, spent)
}

/// Does two pieces of work, the second by another thread if one is idle: `rayon::join`, whose time is counted.
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    let meter = CpuMeter::current();
    rayon::join(|| meter.charge(first), || meter.charge(second))
}

#[cfg(unix)]
fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// In steps of 1/64 s, which is how Windows counts it.
#[cfg(windows)]
fn thread_cpu_ns() -> u64 {
    u64::try_from(cpu_time::ThreadTime::now().as_duration().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps a thread busy for so many nanoseconds of its own time.
    fn busy(ns: u64) {
        let begin = thread_cpu_ns();
        while thread_cpu_ns() < begin + ns {
            std::hint::spin_loop();
        }
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn work_on_other_threads_is_counted() {
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let (_, spent) = pool.install(|| measured(|| join(|| busy(4 * MS), || busy(4 * MS))));
            assert!(spent >= 8 * MS, "{spent} ns with {threads} threads");
        }
        // Called from outside of any pool, which then does all of it.
        assert!(measured(|| join(|| busy(MS), || busy(MS))).1 >= 2 * MS);
    }

    #[test]
    fn the_work_of_others_is_not_counted() {
        let other = CpuMeter { spent: Some(Arc::default()) };
        let (_, spent) = measured(|| {
            busy(MS);
            // What a waiting thread takes over.
            other.charge(|| busy(50 * MS));
            CpuMeter { spent: None }.charge(|| busy(50 * MS));
        });
        assert!((MS..50 * MS).contains(&spent), "{spent} ns");
        let theirs = other.spent.map_or(0, |spent| spent.load(Ordering::Relaxed));
        assert!(theirs >= 50 * MS, "{theirs} ns");
    }

    #[test]
    fn what_is_measured_within_counts_for_the_whole() {
        let (inner, outer) = measured(|| measured(|| busy(4 * MS)).1);
        assert!(outer >= inner && inner >= 4 * MS, "{inner} of {outer} ns");
    }

    #[test]
    fn a_panic_gives_the_thread_back() {
        let meter = CpuMeter { spent: Some(Arc::default()) };
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| meter.charge(|| panic!("as meant"))));
        assert!(ended.is_err() && CpuMeter::current().spent.is_none());
    }
}
