#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

mod ahead;
pub mod args;
pub(crate) mod checkpoint;
pub mod classes;
mod columns;
mod distribution;
pub mod error;
mod experts;
mod facts;
pub(crate) mod feed;
pub mod file_args;
pub mod further;
mod group;
mod horizon;
pub(crate) mod input;
mod intact;
mod kept;
pub mod learner;
pub(crate) mod line;
pub mod metrics;
mod origin;
pub(crate) mod output;
pub mod played;
pub mod predict;
pub mod rescaled;
pub mod rounds;
pub mod scales;
mod session;
mod story;
mod temporary;
pub mod value;
mod watch;

use std::sync::Arc;

pub use crate::args::StreamArgs;
use crate::checkpoint::RunStart;
pub use crate::error::StreamError;
use crate::session::{StreamSummary, close, open};
use noregret_core::protocol::clock::Stopwatch;
use noregret_study::external::watch::watched;

/// Runs the learner over the file; `interrupted` is asked between blocks of rows. Rounds go to the output, a summary
/// in one line to `say`, after what was found out about the file, progress, metrics and warnings where there are any.
///
/// # Errors
/// As [`StreamError`] says, with its exit status. What was played before a divergence or an interruption is written.
pub fn run(args: &StreamArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    let mut total = Stopwatch::default();
    let (outcome, left) = watched(&Arc::default(), || total.time(|| stream(args, interrupted, say)));
    let process = left.first().map(|report| format!("{}: {}", report.learner, report.isolation));
    match (outcome, left.into_iter().find_map(|report| report.failure)) {
        (Err(StreamError::Diverged { written, .. }), Some(cause)) => Err(StreamError::Failed { cause, written }),
        (Ok(Some(StreamSummary { said, .. })), Some(cause)) => Err(StreamError::Failed { cause, written: said }),
        (Ok(Some(StreamSummary { said, estimates })), None) => {
            let seconds = total.spent().wall_ns as f64 / 1e9;
            say(&format!("{said}, {seconds:.3} seconds"));
            if let Some(told) = process {
                say(&told);
            }
            if estimates {
                say(
                    "predictions are estimates from sampled neurons: the mean of a loss is that of the learner's function \
                     plus the variance of the estimate",
                );
            }
            Ok(())
        }
        // The reader of the output went away (`| head`): a normal end that needs no summary.
        (Ok(None), _) => Ok(()),
        (Err(error), _) => Err(error),
    }
}

/// Runs the learner without timing it. None where the reader of the output went away.
fn stream(
    given: &StreamArgs,
    interrupted: &dyn Fn() -> bool,
    say: &mut dyn FnMut(&str),
) -> Result<Option<StreamSummary>, StreamError> {
    let mut start = RunStart::of(&given.named())?;
    let mut run = open(&mut start, interrupted, say)?;
    let first = run.round;
    let mut played = Stopwatch::default();
    let why = played.time(|| run.play_all(interrupted))?;
    let seconds = played.spent().wall_ns as f64 / 1e9;
    close(run, &start.args, (first, seconds), why)
}
