//! What the processes of a run leave behind beside its result: what they used, what they wrote to their standard error,
//! and why the run has no result. A learner's interface has no room for it, so it is collected for the thread that plays.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::usage::Usage;

/// What one process left behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProcessReport {
    /// The learner.
    pub learner: String,
    /// What its process could do, as users are told.
    pub isolation: String,
    /// Processor time, in seconds.
    pub cpu_seconds: Option<f64>,
    /// The part of it before its first answer, which is not counted as the learner's.
    pub(crate) start_seconds: Option<f64>,
    /// The most memory that it held, in bytes.
    pub(crate) peak_bytes: Option<u64>,
    /// Its processor time in nanoseconds from its first answer to some of its rounds.
    #[serde(skip)]
    pub(crate) spent: BTreeMap<u64, u64>,
    /// The numbers of its last answer.
    pub end: BTreeMap<String, f64>,
    /// The last lines of its standard error.
    #[serde(skip)]
    pub(crate) complaints: Vec<String>,
    /// Why the run has no result, if it has none.
    #[serde(skip)]
    pub failure: Option<String>,
}

impl ProcessReport {
    /// With what the process used, where that is known.
    pub(super) fn using(mut self, usage: Option<Usage>) -> Self {
        self.cpu_seconds = usage.map(|usage| usage.cpu_seconds);
        self.peak_bytes = usage.map(|usage| usage.peak_bytes);
        self
    }
}

/// A run that is watched.
#[derive(Default)]
struct Watched {
    stop: Arc<AtomicBool>,
    reports: Vec<ProcessReport>,
}

thread_local! {
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

/// Calls `play`, and returns with its result what the processes left behind that it started and ended. As soon as `stop`
/// is set, they play no further round.
pub fn watched<T>(stop: &Arc<AtomicBool>, play: impl FnOnce() -> T) -> (T, Vec<ProcessReport>) {
    // While it waits for other threads, a thread may be given another run to play, which has a list of its own.
    let before = WATCHED.replace(Some(Watched { stop: stop.clone(), ..Watched::default() }));
    let result = play();
    (result, WATCHED.replace(before).unwrap_or_default().reports)
}

/// What says that the run of this thread is to stop.
pub(super) fn stop() -> Arc<AtomicBool> {
    WATCHED.with_borrow(|watched| watched.as_ref().map(|watched| watched.stop.clone()).unwrap_or_default())
}

/// Adds a report, if anyone watches.
pub(super) fn report(report: ProcessReport) {
    WATCHED.with_borrow_mut(|watched| {
        if let Some(watched) = watched {
            watched.reports.push(report);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_its_own_reports() {
        let named = |learner: &str| ProcessReport { learner: learner.into(), ..ProcessReport::default() };
        report(named("unwatched"));
        let (inner, outer) = watched(&Arc::default(), || {
            report(named("a"));
            let inner = watched(&Arc::default(), || report(named("b"))).1;
            report(named("c"));
            inner
        });
        assert_eq!(inner, [named("b")]);
        assert_eq!(outer, [named("a"), named("c")]);
    }
}
