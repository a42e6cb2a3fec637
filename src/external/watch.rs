//! What the processes of a run leave behind beside its result: what they used, what they wrote to their standard error,
//! and why the run has no result. A learner's interface has no room for it, so it is collected for the thread that plays.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::Serialize;

use super::usage::Usage;

/// What one process left behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The learner.
    pub learner: String,
    /// Processor time, in seconds.
    pub cpu_seconds: Option<f64>,
    /// The most memory that it held, in bytes.
    pub peak_bytes: Option<u64>,
    /// The numbers of its last answer.
    pub end: BTreeMap<String, f64>,
    /// The last lines of its standard error.
    #[serde(skip)]
    pub complaints: Vec<String>,
    /// Why the run has no result, if it has none.
    #[serde(skip)]
    pub failure: Option<String>,
}

impl Report {
    /// With what the process used, where that is known.
    pub(super) fn using(mut self, usage: Option<Usage>) -> Self {
        self.cpu_seconds = usage.map(|usage| usage.cpu_seconds);
        self.peak_bytes = usage.map(|usage| usage.peak_bytes);
        self
    }
}

thread_local! {
    static REPORTS: RefCell<Option<Vec<Report>>> = const { RefCell::new(None) };
}

/// Calls `play`, and returns with its result what the processes left behind that it started and ended.
pub fn watched<T>(play: impl FnOnce() -> T) -> (T, Vec<Report>) {
    // While it waits for other threads, a thread may be given another run to play, which has a list of its own.
    let before = REPORTS.replace(Some(Vec::new()));
    let result = play();
    (result, REPORTS.replace(before).unwrap_or_default())
}

/// Adds a report, if anyone watches.
pub(super) fn report(report: Report) {
    REPORTS.with_borrow_mut(|reports| {
        if let Some(reports) = reports {
            reports.push(report);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_its_own_reports() {
        let named = |learner: &str| Report { learner: learner.into(), ..Report::default() };
        report(named("unwatched"));
        let (inner, outer) = watched(|| {
            report(named("a"));
            let inner = watched(|| report(named("b"))).1;
            report(named("c"));
            inner
        });
        assert_eq!(inner, [named("b")]);
        assert_eq!(outer, [named("a"), named("c")]);
    }
}
