//! Reports the progress of a run to the user, on standard error.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How much a program says on standard error beside its errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// Progress, warnings and a summary.
    #[default]
    Normal,
    /// Every step.
    Verbose,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Sets how much is said from now on.
pub fn set_verbosity(verbosity: Verbosity) {
    VERBOSITY.store(verbosity as u8, Ordering::Relaxed);
}

/// How much is said.
pub fn verbosity() -> Verbosity {
    match VERBOSITY.load(Ordering::Relaxed) {
        quiet if quiet == Verbosity::Quiet as u8 => Verbosity::Quiet,
        verbose if verbose == Verbosity::Verbose as u8 => Verbosity::Verbose,
        _ => Verbosity::Normal,
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Steps that have ended.
    pub(crate) done: usize,
    /// Steps of the plan.
    pub(crate) total: usize,
    /// Steps that failed.
    pub failed: usize,
    /// Forecast of the seconds left; `None` if nothing has been measured yet.
    pub(crate) seconds_left: Option<f64>,
}

/// Receives the reports of a run, and does nothing with those that it has no method for. Calls may come from any thread.
pub trait Reporter: Send + Sync {
    /// The run begins.
    fn begin(&self, _progress: &Progress) {}
    /// A step has ended.
    fn step(&self, _progress: &Progress) {}
    /// All steps of a stage have ended; `line` sums them up.
    fn stage(&self, _name: &str, _line: &str) {}
    /// Something that the user should read.
    fn say(&self, _message: &str) {}
    /// Called about ten times a second while the run goes on.
    fn tick(&self, _progress: &Progress) {}
    /// The run is over.
    fn end(&self) {}
}

/// Reports nothing.
#[derive(Debug, Default)]
pub struct Silent;

impl Reporter for Silent {}

/// Reports to standard error: on a terminal a live line; elsewhere one line per stage, and a sign of life every thirty
/// seconds.
pub struct Terminal {
    bar: Option<ProgressBar>,
    last: Mutex<Instant>,
}

const HEARTBEAT: Duration = Duration::from_secs(30);

impl Default for Terminal {
    fn default() -> Self {
        let live = std::io::stderr().is_terminal() && verbosity() > Verbosity::Quiet;
        let bar = live.then(|| {
            // No colours, so that NO_COLOR has nothing to turn off.
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}{msg}  {elapsed} elapsed");
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, last: Mutex::new(Instant::now()) }
    }
}

impl Terminal {
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) if !bar.is_finished() && bar.length().is_some() => bar.println(text),
            // A closed standard error is no reason to stop working.
            _ => tell(&format!("{text}\n")),
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

impl Reporter for Terminal {
    fn begin(&self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_length(progress.total as u64);
        }
    }

    fn step(&self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_position(progress.done as u64);
            bar.set_message(outlook(progress));
        }
    }

    fn stage(&self, name: &str, line: &str) {
        self.line(&format!("{name}: {line}"));
    }

    fn say(&self, message: &str) {
        self.line(message);
    }

    fn tick(&self, progress: &Progress) {
        match &self.bar {
            Some(bar) => bar.tick(),
            None => {
                let quiet = self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
                if quiet >= HEARTBEAT {
                    self.line(&format!("{} of {} done{}", progress.done, progress.total, outlook(progress)));
                }
            }
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Writes a message to standard error, unless the user wants quiet. A closed one is no reason to fail.
pub fn tell(text: &str) {
    if verbosity() > Verbosity::Quiet {
        complain(text);
    }
}

/// Writes what went wrong to standard error, also where the user wants quiet.
pub fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// `, 2 failed, about 3 min left`
fn outlook(progress: &Progress) -> String {
    let mut text = String::new();
    if progress.failed > 0 {
        text.push_str(&format!(", {} failed", progress.failed));
    }
    if let Some(seconds) = progress.seconds_left {
        text.push_str(&format!(", about {} left", duration(seconds)));
    }
    text
}

/// Seconds for people: `0.3 s`, `12 s`, `5 min`, `2.5 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5_970.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        let shown: Vec<String> = [0.04, 9.94, 12.3, 300.0, 9_000.0].into_iter().map(duration).collect();
        assert_eq!(shown, ["0.0 s", "9.9 s", "12 s", "5 min", "2.5 h"]);
    }
}
