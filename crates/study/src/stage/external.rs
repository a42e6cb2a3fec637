//! Cells whose learners are processes of their own: a run that such a process spoiled has no result, and what the
//! process used and complained about is kept beside it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use noregret_core::protocol::cell::Cell;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Job, Product, Resolved, Unavailable, Work};
use serde_json::json;

use crate::config::experiment::Experiment;
use crate::external::learner::programs;
use crate::external::program::{MissingProgram, Program};
use crate::external::watch::{ProcessReport, watched};

/// The work of a stage whose item `i` plays or needs the cells `cells(i)`, where any of them has such a learner; otherwise
/// the work as it is.
pub(crate) fn guarded<'a>(work: Arc<dyn Work>, items: usize, cells: impl Fn(usize) -> Vec<&'a Cell>) -> Arc<dyn Work> {
    let programs: Vec<Vec<Arc<Program>>> =
        (0..items).map(|item| cells(item).iter().flat_map(|cell| programs(&cell.params)).collect()).collect();
    if programs.iter().all(Vec::is_empty) { work } else { Arc::new(Guarded { inner: work, programs }) }
}

/// The cells that are played for an item of `tune/...`.
pub(crate) fn trials(experiment: &Experiment, item: usize) -> Vec<&Cell> {
    experiment.choices[item].candidates.iter().filter_map(|candidate| candidate.trials.first()).collect()
}

/// How often it is asked whether the run was interrupted.
const TICK: Duration = Duration::from_millis(50);

struct Guarded {
    inner: Arc<dyn Work>,
    programs: Vec<Vec<Arc<Program>>>,
}

impl Work for Guarded {
    fn label(&self, item: usize) -> String {
        self.inner.label(item)
    }

    fn facts(&self, item: usize) -> Facts {
        self.inner.facts(item)
    }

    fn estimate(&self, item: usize) -> Estimate {
        self.inner.estimate(item)
    }

    fn is_cell(&self) -> bool {
        self.inner.is_cell()
    }

    fn unavailable(&self, item: usize) -> Option<Unavailable> {
        let missing = self.programs[item].iter().find_map(|program| {
            let MissingProgram { what, remedy } = program.missing()?;
            Some(Unavailable { reason: format!("the learner {} needs {what}", program.name), remedy })
        });
        missing.or_else(|| self.inner.unavailable(item))
    }

    fn reproducible(&self) -> bool {
        self.inner.reproducible() && self.programs.iter().flatten().all(|program| program.is_identified())
    }

    fn value(&self, object: &[u8]) -> Option<f64> {
        self.inner.value(object)
    }

    fn circumstances(&self, item: usize) -> String {
        self.inner.circumstances(item)
    }

    fn verify(&self, item: usize) -> Option<Result<(), String>> {
        self.inner.verify(item)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let reserved = Reserved { job, said: Mutex::default() };
        let (stop, done) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
        let (product, reports) = thread::scope(|scope| {
            let (stop, done) = (&stop, &done);
            let watcher = scope.spawn(move || {
                while !done.load(Ordering::Acquire) {
                    stop.store(job.interrupted(), Ordering::Relaxed);
                    thread::park_timeout(TICK);
                }
            });
            let played = watched(stop, || self.inner.execute(item, &reserved));
            done.store(true, Ordering::Release);
            watcher.thread().unpark();
            played
        });
        if job.interrupted() && reports.iter().any(|report| report.failure.is_some()) {
            return Err(Failure::Interrupted);
        }
        let label = self.inner.label(item);
        for line in reports.iter().flat_map(|report| &report.complaints) {
            job.say(&format!("{label}: standard error: {line}"));
        }
        if let Some(failure) = reports.iter().find_map(|report| report.failure.as_ref())
            && !matches!(product, Err(Failure::Interrupted))
        {
            return Err(Failure::failed(failure.clone()));
        }
        for message in reserved.said.into_inner().unwrap_or_else(PoisonError::into_inner) {
            job.say(&message);
        }
        Ok(match product? {
            Product::Object { bytes, measurements } => {
                Product::Object { bytes, measurements: with_processes(measurements, &reports) }
            }
            other => other,
        })
    }
}

/// A job whose messages wait for its end: that a learner diverged is no news where its process failed.
struct Reserved<'a> {
    job: &'a dyn Job,
    said: Mutex<Vec<String>>,
}

impl Job for Reserved<'_> {
    fn key(&self) -> &str {
        self.job.key()
    }

    fn inputs(&self) -> &[Resolved] {
        self.job.inputs()
    }

    fn object(&self, index: usize) -> Result<Vec<u8>, Failure> {
        self.job.object(index)
    }

    fn recorded(&self, index: usize, file: &Path) -> Result<String, Failure> {
        self.job.recorded(index, file)
    }

    fn interrupted(&self) -> bool {
        self.job.interrupted()
    }

    fn say(&self, message: &str) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned());
    }

    fn kept(&self) -> Option<Vec<u8>> {
        self.job.kept()
    }

    fn keep(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.job.keep(bytes)
    }
}

/// Measurements, with what the processes used. Where one process played, its processor time counts as the learner's.
fn with_processes(measurements: Option<serde_json::Value>, reports: &[ProcessReport]) -> Option<serde_json::Value> {
    let mut measurements = measurements.unwrap_or_else(|| json!({}));
    if let ([report], Some(times)) = (reports, measurements.get_mut("times").and_then(|times| times.as_array_mut())) {
        for time in times {
            let spent = time["t"].as_u64().and_then(|round| report.spent.get(&round));
            if let (Some(own), Some(spent)) = (time["cpu_ns"].as_u64(), spent) {
                time["cpu_ns"] = json!(own + spent);
            }
        }
    }
    measurements["processes"] = json!(reports);
    Some(measurements)
}
